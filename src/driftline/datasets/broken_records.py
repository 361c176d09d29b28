"""Broken records, as they occur in real data."""

from __future__ import annotations

import json
from collections.abc import Callable


def broken_record(number: int, time: str, text: str) -> tuple[str, bytes]:
    """Return the name of a defect and a line of JSON lines that has it; defects alternate with `number`.

    >>> broken_record(0, "2025-03-01T12:00:00Z", "Rain is expected.")
    ('no time', b'{"id": "broken-0", "text": "Rain is expected.", "label": "weather"}')
    """
    name, make = _DEFECTS[number % len(_DEFECTS)]
    return name, make({"id": f"broken-{number}", "time": time, "text": text, "label": "weather"})


def _without_time(record: dict[str, str]) -> bytes:
    return _line({key: value for key, value in record.items() if key != "time"})


def _cut_short(record: dict[str, str]) -> bytes:
    return _line(record)[: -len(record["text"]) // 2]


def _impossible_date(record: dict[str, str]) -> bytes:
    return _line(record | {"time": record["time"][:4] + "-02-31" + record["time"][10:]})


def _bad_encoding(record: dict[str, str]) -> bytes:
    return _line(record | {"text": "Caf@ guests: " + record["text"]}).replace(b"Caf@", b"Caf\xe9")


def _no_date_at_all(record: dict[str, str]) -> bytes:
    return _line(record | {"time": "the day before yesterday"})


def _not_a_record(record: dict[str, str]) -> bytes:
    return json.dumps([record["time"], record["text"]]).encode()


def _line(record: dict[str, str]) -> bytes:
    return json.dumps(record).encode()


_DEFECTS: tuple[tuple[str, Callable[[dict[str, str]], bytes]], ...] = (
    ("no time", _without_time),
    ("broken JSON", _cut_short),
    ("impossible date", _impossible_date),
    ("bad encoding", _bad_encoding),
    ("no date at all", _no_date_at_all),
    ("not a record", _not_a_record),
)
