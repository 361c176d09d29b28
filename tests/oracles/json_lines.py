"""JSON lines, the plain way: the whole file at once, line by line."""

from __future__ import annotations

import json


def read(data, max_record_bytes):
    """Return [(line number, object)] and the line numbers of lines that are not objects."""
    good, bad = [], []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip(b" \t\r\n"):
            continue
        try:
            record = json.loads(line.decode())
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, dict) and len(line) <= max_record_bytes:
            good.append((number, record))
        else:
            bad.append(number)
    return good, bad
