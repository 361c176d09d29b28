"""From records to documents: times are parsed, texts joined, and unusable records counted with their places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.readers.cell_values import Strings, reason_for, to_labels, to_strings, to_texts
from driftline.readers.records import Limits, Records, too_long
from driftline.readers.time_columns import read_times, time_as_written
from driftline.readers.timestamps import TimeReader, Times
from driftline.streams.conversations import first_message_id
from driftline.streams.rejections import Rejection, Rejections
from driftline.streams.schema import OPTIONAL, SCHEMA

MOST_HELD_RECORDS = 1_000_000
MOST_HELD_BYTES = 2**28
"""Largest number of bytes buffered while no date has yet shown whether the day or the month comes first."""


def to_documents(
    sources: Iterable[Iterable[Records]],
    rejections: Rejections,
    *,
    times: TimeReader,
    limits: Limits,
    number_sources: bool = False,
    own_ids: bool = False,
) -> Iterator[pa.RecordBatch]:
    """Yield batches of `SCHEMA` for the records of one or several sources; report unusable ones.

    A record without an id gets its number, after the name of its source if there are several (`number_sources`); with
    `own_ids`, its id is null.
    """
    held: list[Records] = []
    held_records = held_bytes = 0
    for source in sources:
        times.new_column()
        for records in source:
            read = _read_times(records, times)
            if read is None or (held and _read_times(held[0], times) is None):
                held.append(records)
                held_records += len(records.numbers)
                held_bytes += sum(getattr(values, "nbytes", 0) for values in records.values.values())
                if held_records > MOST_HELD_RECORDS or held_bytes > MOST_HELD_BYTES:
                    raise times.ambiguity()
                continue
            for earlier in held:
                yield from _documents(earlier, _read_times(earlier, times), rejections, limits, number_sources, own_ids)
            held, held_records, held_bytes = [], 0, 0
            yield from _documents(records, read, rejections, limits, number_sources, own_ids)
    if held:
        raise times.ambiguity()


def _read_times(records: Records, times: TimeReader) -> Times | None:
    if records.columns is None:
        nothing = np.zeros(0, bool)
        return Times(np.zeros(0, np.int64), nothing, nothing)
    return read_times(records, records.columns, times)


def _documents(
    records: Records,
    times: Times | None,
    rejections: Rejections,
    limits: Limits,
    number_sources: bool,
    own_ids: bool,
) -> Iterator[pa.RecordBatch]:
    if times is None:
        raise RuntimeError("the order of day and month was known before and is now ambiguous")
    if records.columns is None or not len(records.numbers):
        _report(records, {}, rejections)
        return
    texts = to_texts([records.values[name] for name in records.columns.text])
    good = times.readable & texts.values.is_valid().to_numpy(zero_copy_only=False)
    lengths = pc.fill_null(pc.binary_length(texts.values), 0).to_numpy(zero_copy_only=False)
    good &= lengths <= limits.max_record_bytes
    problems = {int(row): _problem(records, times, texts, int(row), limits) for row in np.flatnonzero(~good)}
    _report(records, problems, rejections)
    batch = pa.RecordBatch.from_arrays(
        [
            _own_ids(records) if own_ids else _ids(records, number_sources),
            pa.array(times.microseconds, pa.timestamp("us", tz="UTC")),
            texts.values,
            *(_optional(records, role) for role in OPTIONAL if role != "origin"),
            _origins(records, number_sources),
        ],
        schema=SCHEMA,
    )
    if problems:
        batch = batch.filter(pa.array(good))
    for start in range(0, len(batch), limits.batch_size):
        yield batch.slice(start, limits.batch_size)


def _problem(records: Records, times: Times, texts: Strings, row: int, limits: Limits) -> str:
    if times.missing[row]:
        return "no time"
    if not times.readable[row]:
        columns = records.columns
        value = time_as_written(records, columns, row) if columns is not None else None
        return f"unreadable time: {_shown(value)}"
    return too_long(limits) if texts.values[row].is_valid else reason_for(texts, row)


def _shown(value: Any) -> str:
    """Return a value for display, shortened if it is long."""
    try:
        shown = repr(value.as_py() if isinstance(value, pa.Scalar) else value)
    except (ValueError, OverflowError):  # bytes that are not text, or a date that Python cannot represent
        shown = repr(str(value.cast(pa.binary() if pa.types.is_string(value.type) else pa.int64()).as_py()))
    return shown if len(shown) <= 60 else shown[:57] + "…"


def _report(records: Records, problems: dict[int, str], rejections: Rejections) -> None:
    """Report in the order of the source, so that ``on_error="raise"`` stops at the first."""
    found: list[tuple[int, Rejection, int]] = [
        (int(records.numbers[row]), Rejection(records.source, records.place(row), reason), 1)
        for row, reason in problems.items()
    ]
    found += [
        (unusable.number, Rejection(records.source, records.place_of(unusable), unusable.reason), unusable.n_records)
        for unusable in records.unusable
    ]
    for _, rejection, count in sorted(found, key=lambda item: item[0]):
        rejections.add(rejection, count=count)


def _ids(records: Records, number_sources: bool) -> pa.Array:
    numbers: pa.Array = pa.array(records.numbers).cast(pa.string())
    if number_sources:
        numbers = pc.binary_join_element_wise(records.source, numbers, ":")
    return pc.coalesce(_own_ids(records), numbers)


def _own_ids(records: Records) -> pa.Array:
    """Return the ids in the records, null where there is none or where it is empty."""
    if records.columns is None or records.columns.id is None:
        return pa.nulls(len(records.numbers), pa.string())
    ids = to_strings(records.values[records.columns.id]).values.cast(pa.string())
    return pc.if_else(pc.equal(pc.utf8_trim_whitespace(ids), ""), pa.scalar(None, pa.string()), ids)


def _optional(records: Records, role: str) -> pa.Array:
    """Return the column of an optional role, such as the label: null if there is none."""
    column = None if records.columns is None else getattr(records.columns, role)
    if column is None:
        return pa.nulls(len(records.numbers), pa.string())
    values = to_labels(records.values[column])
    return first_message_id(values) if role == "thread" else values


def _origins(records: Records, number_sources: bool) -> pa.Array:
    """Return the origin of each record: its source, if there are several, and within it the channel, list or folder."""
    inside = _optional(records, "origin")
    if not number_sources:
        return inside
    return pc.coalesce(pc.binary_join_element_wise(records.source, inside, "/"), pa.scalar(records.source))
