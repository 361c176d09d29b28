"""The findings as files that the page can save: JSON, and tables as Parquet."""

from __future__ import annotations

import base64
import io
import zlib
from typing import NamedTuple

import pyarrow.parquet as pq

from driftline.analysis.all_findings import Findings
from driftline.analysis.serialise import to_json
from driftline.analysis.tables import findings_tables
from driftline.core.display import safe_json

MOST_BYTES = 1_000_000
"""Largest size of a file in the page, in base64; larger ones are only named."""


class PackedFile(NamedTuple):
    """A file in base64 (empty if it is too large); if `compressed`, the page unpacks it (zlib) before it saves it."""

    name: str
    kind: str
    packed: str
    compressed: bool


def packed_files(findings: Findings) -> list[PackedFile]:
    """Return the files that the page offers; the same findings give the same bytes."""
    whole = zlib.compress(safe_json(to_json(findings)).encode("utf-8", "backslashreplace"), 6)
    files = [PackedFile("findings.json", "application/json", base64.b64encode(whole).decode(), True)]
    for name, table in findings_tables(findings).items():
        written = io.BytesIO()
        pq.write_table(table, written, compression="zstd")
        packed = base64.b64encode(written.getvalue()).decode()
        files.append(PackedFile(f"{name}.parquet", "application/vnd.apache.parquet", packed, False))
    return [file if len(file.packed) <= MOST_BYTES else file._replace(packed="") for file in files]
