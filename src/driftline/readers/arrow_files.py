"""Arrow files and streams (IPC, Feather 2), a batch at a time; every batch is checked before it is used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.ipc

from driftline.core.errors import AmbiguousInput
from driftline.readers.class_names import class_names, with_class_names
from driftline.readers.records import Chooser, Columns, Limits, Records, UnreadableFile, Unusable
from driftline.readers.regular_files import open_regular

ARROW_FILE = b"ARROW1\0\0"
"""First bytes of an Arrow file; a stream begins with its schema."""
_SAMPLE = 1000
_FAILURES = (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError)
"""Exceptions of Arrow on a damaged file."""


def read_arrow(path: Path, choose: Chooser, limits: Limits, *, name: str) -> Iterator[Records]:
    """Yield the rows of an Arrow file or stream. A damaged batch of a file is unusable; a stream ends at the damage."""
    with open_regular(path) as raw:
        is_file = raw.read(len(ARROW_FILE)) == ARROW_FILE
        raw.seek(0)
        try:
            reader = pa.ipc.open_file(raw) if is_file else pa.ipc.open_stream(raw)
            names = list(reader.schema.names)
        except _FAILURES as error:
            raise UnreadableFile(f"{name} cannot be read as Arrow: {_first_line(error)}; is it complete?") from error
        duplicates = {column for column in names if names.count(column) > 1}
        if duplicates:
            raise AmbiguousInput(f"{name} has several columns called {min(duplicates)!r}; rename all but one of them")
        yield from _rows(_batches(reader, is_file), names, choose, limits, name)


def _batches(reader: pa.RecordBatchReader | pa.RecordBatchFileReader, is_file: bool) -> Iterator[pa.RecordBatch | str]:
    """Yield valid batches, and the reasons why others are invalid."""
    number = 0
    while True:
        try:
            if is_file and number >= reader.num_record_batches:
                return
            batch = reader.get_batch(number) if is_file else reader.read_next_batch()
            batch.validate(full=True)
            yield batch
        except StopIteration:
            return
        except (*_FAILURES, MemoryError) as error:
            yield f"damaged: batch {number + 1}: {_first_line(error)}"
            if not is_file:
                return
        number += 1


def _rows(
    batches: Iterator[pa.RecordBatch | str], names: list[str], choose: Chooser, limits: Limits, name: str
) -> Iterator[Records]:
    columns: Columns | None = None
    row = 1
    for batch in batches:
        if isinstance(batch, str):
            unusable = [Unusable(row, batch, place=f"after row {row - 1}")]
            yield Records(name, {}, np.empty(0, np.int64), None, unusable, word="row")
            continue
        columns = columns or choose({column: _sample(batch, column) for column in names})
        for start in range(0, len(batch), limits.batch_size):
            some = batch.slice(start, limits.batch_size)
            values = {column: some.column(names.index(column)) for column in columns.needed()}
            values = with_class_names(values, columns.label, class_names(batch.schema.metadata, columns.label))
            yield Records(name, values, np.arange(row, row + len(some), dtype=np.int64), columns, word="row")
            row += len(some)
    if columns is None:
        choose({column: [] for column in names})


def _sample(batch: pa.RecordBatch, column: str) -> list[object]:
    try:
        found: list[object] = batch.column(batch.schema.get_field_index(column))[:_SAMPLE].to_pylist()
        return found
    except (ValueError, OverflowError, pa.ArrowException):
        return []


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
