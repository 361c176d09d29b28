"""Late arrivals: a nearly sorted stream is sorted, in memory bounded by the allowed lateness."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as pa

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.streams.schema import empty_table

LARGEST_WINDOW = 2**62
"""A window of more than 100,000 years in microseconds: no document is ever late, and differences do not overflow."""


def reorder(
    batches: Iterable[pa.RecordBatch],
    within: int,
    on_late: Callable[[int, str, int], None],
) -> Iterator[pa.RecordBatch]:
    """Yield the documents sorted by time, equal times in order of arrival.

    A document may arrive up to `within` microseconds after a newer one. Once the newest time seen is ``newest``, no
    document older than ``newest - within`` is accepted, so everything up to there can be yielded. A document that
    arrives later is rejected, and ``on_late(index, id, lag)`` receives its position in the stream, its id and its age
    in microseconds relative to the newest before it.

    >>> times = pa.array([10, 30, 20, 50, 5], pa.timestamp("us", "UTC"))
    >>> ids = pa.array(["a", "b", "c", "d", "e"])
    >>> texts, none = ids.cast(pa.large_string()), pa.nulls(5, pa.string())
    >>> batch = pa.RecordBatch.from_arrays([ids, times, texts, *[none] * 4], schema=empty_table().schema)
    >>> [b["id"].to_pylist() for b in reorder([batch], 15, lambda *late: print(late))]
    (4, 'e', 45)
    [['a', 'c', 'b'], ['d']]
    """
    if within < 0:
        raise InvalidInput(f"reorder_within must not be negative, got {within} microseconds")
    within = min(within, LARGEST_WINDOW)
    held = empty_table()
    held_times = np.empty(0, dtype=np.int64)
    newest: int | None = None
    index = 0
    for batch in batches:
        if not len(batch):
            continue
        times = times_of(batch)
        newest_yet = _running_maximum(times, newest)
        late = times < newest_yet - within
        for row in np.flatnonzero(late):
            on_late(index + int(row), batch["id"][int(row)].as_py(), int(newest_yet[row] - times[row]))
        index += len(batch)
        newest = max(int(newest_yet[-1]), int(times[-1]))
        if late.any():
            batch, times = batch.filter(pa.array(~late)), times[~late]
        held = pa.concat_tables([held, pa.Table.from_batches([batch])])
        held_times = np.concatenate([held_times, times])
        ready = held_times <= newest - within
        # Yielding at least half of the buffer keeps the copying linear, and memory within twice the window.
        if 2 * np.count_nonzero(ready) >= len(held):
            yield from _sorted(held.filter(pa.array(ready)), held_times[ready])
            held, held_times = held.filter(pa.array(~ready)), held_times[~ready]
    yield from _sorted(held, held_times)


def times_of(batch: pa.RecordBatch | pa.Table) -> Ints:
    """Return the times of documents as int64 microseconds since 1970."""
    values = batch["time"].cast(pa.int64())
    found: Ints = values.to_numpy(zero_copy_only=False) if isinstance(values, pa.Array) else values.to_numpy()
    return found


def sort_by_time(table: pa.Table) -> pa.Table:
    """Return the table in time order, stably sorted; not copied if already sorted."""
    times = times_of(table)
    if len(times) < 2 or (times[1:] >= times[:-1]).all():
        return table
    return table.take(pa.array(np.argsort(times, kind="stable")))


def _running_maximum(times: Ints, before: int | None) -> Ints:
    """Return, for every document, the newest time up to and including its own."""
    highest = np.maximum.accumulate(times)
    return highest if before is None else np.maximum(highest, before)


def _sorted(table: pa.Table, times: Ints) -> Iterator[pa.RecordBatch]:
    if len(table):
        yield from sort_by_time(table).combine_chunks().to_batches()
