"""Parquet files, in batches of rows and only the required columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pyarrow.parquet as pq

from driftline.core.errors import AmbiguousInput
from driftline.readers.class_names import class_names, with_class_names
from driftline.readers.compression import EXPANSION_FLOOR, bomb
from driftline.readers.records import Chooser, Columns, Limits, Records, UnreadableFile, Unusable
from driftline.readers.regular_files import open_regular

MAGIC = b"PAR1"
_BUFFER_BYTES = 2**20
_SAMPLE = 1000
_FAILURES = (pa.ArrowException, OSError, UnicodeDecodeError)
"""Exceptions of Arrow on a damaged file, in which even the names may not be text."""
_BATCH_BYTES = 2**25


def read_parquet(
    path: Path, choose: Chooser, limits: Limits, *, name: str = "", max_expansion: float = 200.0
) -> Iterator[Records]:
    """Yield the rows of a Parquet file. A damaged row group is unusable as a whole; the others are read."""
    try:
        raw = open_regular(path)
    except OSError as error:
        raise UnreadableFile(f"{name or path.name} cannot be read: {error.strerror or error}") from error
    with raw:
        yield from _read_file(raw, choose, limits, name or path.name, max_expansion)


def _read_file(raw: BinaryIO, choose: Chooser, limits: Limits, name: str, max_expansion: float) -> Iterator[Records]:
    try:
        # Without memory mapping a truncated file is an error, not a crash; without read-ahead, and with a buffer, a row
        # group is not loaded as a whole.
        file = pyarrow.parquet.ParquetFile(raw, memory_map=False, pre_buffer=False, buffer_size=_BUFFER_BYTES)
        names = file.schema_arrow.names
    except _FAILURES as error:
        raise UnreadableFile(
            f"{name} cannot be read as Parquet: {error}; is it complete, and is it Parquet?"
        ) from error
    with file:
        columns = choose(_sample(file, names))
        first_row = 1
        for group in range(file.metadata.num_row_groups):
            n_rows = file.metadata.row_group(group).num_rows
            yield from _read_group(file, group, first_row, name, columns, limits, max_expansion)
            first_row += n_rows


def _read_group(
    file: pq.ParquetFile,
    group: int,
    first_row: int,
    source: str,
    columns: Columns,
    limits: Limits,
    max_expansion: float,
) -> Iterator[Records]:
    metadata = file.metadata.row_group(group)
    row, end = first_row, first_row + metadata.num_rows
    needed, classes = columns.needed(), class_names(file.schema_arrow.metadata, columns.label)
    reason = "damaged: there are fewer rows than the file says"
    try:
        too_far = _expands_too_far(metadata, needed, max_expansion)
        size = _rows_at_a_time(metadata, limits)
        batches = () if too_far else file.iter_batches(size, row_groups=[group], columns=needed, use_threads=False)
        for batch in batches:
            values = {name: batch.column(batch.schema.get_field_index(name)) for name in needed}
            values = with_class_names(values, columns.label, classes)
            numbers = np.arange(row, row + len(batch), dtype=np.int64)
            row += len(batch)
            yield Records(source, values, numbers, columns, word="row")
        reason = too_far or reason
    except _FAILURES as error:
        reason = f"damaged: {error}"
    if row < end:
        place = f"rows {row} to {end - 1}"
        nothing = np.empty(0, np.int64)
        yield Records(source, {}, nothing, None, [Unusable(row, reason, end - row, place)], word="row")


def _sample(file: pq.ParquetFile, names: list[str]) -> dict[str, list[object]]:
    """Return some values of every candidate column; if the start is unreadable, names without values."""
    duplicates = {name for name in names if names.count(name) > 1}
    if duplicates:
        raise AmbiguousInput(
            f"the Parquet file has several columns called {min(duplicates)!r}; rename all but one of them"
        )
    try:
        rows = next(file.iter_batches(_SAMPLE, use_threads=False), None)
    except _FAILURES:
        rows = None
    return {name: [] if rows is None else _plain_values(rows.column(i)) for i, name in enumerate(names)}


def _plain_values(column: pa.Array) -> list[object]:
    try:
        found: list[object] = column.to_pylist()
        return found
    except (ValueError, OverflowError, pa.ArrowException):
        return []


def _columns_of(metadata: pq.RowGroupMetaData, needed: list[str]) -> list[pq.ColumnChunkMetaData]:
    chunks = [metadata.column(i) for i in range(metadata.num_columns)]
    return [chunk for chunk in chunks if chunk.path_in_schema.split(".")[0] in needed]


def _expands_too_far(metadata: pq.RowGroupMetaData, needed: list[str], max_expansion: float) -> str | None:
    for chunk in _columns_of(metadata, needed):
        size, packed = chunk.total_uncompressed_size, chunk.total_compressed_size
        if size > max(EXPANSION_FLOOR, max_expansion * packed):
            return bomb(size, packed, max_expansion)
    return None


def _rows_at_a_time(metadata: pq.RowGroupMetaData, limits: Limits) -> int:
    """Return the number of rows for a batch of moderate size."""
    size = metadata.total_byte_size or 1
    return int(max(1, min(limits.batch_size, _BATCH_BYTES * max(metadata.num_rows, 1) // size)))
