"""Tables in memory: Arrow, pandas and polars (through narwhals), and lists of dictionaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import pyarrow as pa

from driftline.core.errors import AmbiguousInput
from driftline.readers.records import Chooser, Columns, Limits, Records, Values

_SAMPLE = 1000


def is_frame(source: object) -> bool:
    """Return whether a source is a table in memory.

    >>> is_frame(pa.table({"time": [1]})), is_frame([{"time": 1}]), is_frame("news.csv")
    (True, True, False)
    """
    return (
        isinstance(source, pa.Table | pa.RecordBatch | pa.RecordBatchReader)
        or _is_list_of_records(source)
        or nw.from_native(source, pass_through=True) is not source
    )


def read_frame(source: object, choose: Chooser, limits: Limits, *, name: str) -> Iterator[Records]:
    """Yield the rows of a table. A column that Arrow cannot represent (mixed numbers and strings) stays a list."""
    if isinstance(source, pa.RecordBatchReader):
        yield from _read_batches(source, choose, limits, name)
        return
    values = _columns_of(source)
    columns = choose({key: _sample(column) for key, column in values.items()})
    wanted = {key: _held(values[key]) for key in columns.needed()}
    length = len(next(iter(wanted.values())))
    yield from _slices(wanted, length, 1, columns, limits, name)


def _read_batches(source: pa.RecordBatchReader, choose: Chooser, limits: Limits, name: str) -> Iterator[Records]:
    columns: Columns | None = None
    row = 1
    for batch in source:
        values = dict(zip(batch.schema.names, batch.columns, strict=True))
        columns = columns or choose({key: _sample(column) for key, column in values.items()})
        wanted = {key: values[key] for key in columns.needed()}
        yield from _slices(wanted, len(batch), row, columns, limits, name)
        row += len(batch)


def _slices(
    values: Mapping[str, Values], length: int, first_row: int, columns: Columns, limits: Limits, name: str
) -> Iterator[Records]:
    for start in range(0, length, limits.batch_size):
        end = min(start + limits.batch_size, length)
        part = {key: column[start:end] for key, column in values.items()}
        numbers = np.arange(first_row + start, first_row + end, dtype=np.int64)
        yield Records(name, part, numbers, columns, word="row")


def _columns_of(source: Any) -> dict[str, object]:
    """Return the columns of a table by name, unconverted."""
    if isinstance(source, pa.Table | pa.RecordBatch):
        _check_distinct(source.schema.names)
        return dict(zip(source.schema.names, source.columns, strict=True))
    if _is_list_of_records(source):
        names = dict.fromkeys(key for record in source for key in record)
        return {key: [record.get(key) for record in source] for key in names}
    frame = nw.from_native(source)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    _check_distinct(frame.columns)
    return {str(key): frame.get_column(key) for key in frame.columns}


def _check_distinct(names: Sequence[str]) -> None:
    duplicates = sorted({str(name) for name in names if list(names).count(name) > 1})
    if duplicates:
        raise AmbiguousInput(f"the table has several columns called {duplicates[0]!r}; rename all but one of them")


def _held(column: object) -> Values:
    """Return a column as an Arrow array, or as a list if Arrow cannot represent it."""
    if isinstance(column, nw.Series):
        try:
            return column.to_arrow()
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            return column.to_list()
    return column


def _sample(column: Values) -> list[object]:
    first = column[:_SAMPLE]
    if isinstance(first, pa.Array | pa.ChunkedArray):
        found: list[object] = first.to_pylist()
        return found
    return list(first)


def _is_list_of_records(source: object) -> bool:
    return isinstance(source, list) and bool(source) and all(isinstance(record, Mapping) for record in source)
