import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.core.errors import InvalidInput
from driftline.streams.reorder import LARGEST_WINDOW, reorder, sort_by_time, times_of
from driftline.streams.schema import SCHEMA
from tests.oracles.reorder import reorder as reorder_by_heap


def batch_of(ids, times):
    none = pa.nulls(len(times))
    columns = [pa.array(map(str, ids)), pa.array(times), pa.array(map(str, ids)), *[none] * 4]
    return pa.RecordBatch.from_arrays(
        [column.cast(field.type) for column, field in zip(columns, SCHEMA, strict=True)], schema=SCHEMA
    )


def batches_of(times, size):
    ids = list(range(len(times)))
    return [batch_of(ids[i : i + size], times[i : i + size]) for i in range(0, len(times), size)]


@settings(deadline=None)
@given(st.lists(st.integers(-50, 50), min_size=1), st.integers(0, 60), st.integers(1, 7))
def test_equals_a_heap_for_any_batches(times, within, size):
    late = []
    out = [
        int(identifier)
        for batch in reorder(batches_of(times, size), within, lambda *reported: late.append(reported))
        for identifier in batch["id"].to_pylist()
    ]
    expected, expected_late = reorder_by_heap(list(enumerate(times)), within)
    assert out == expected
    assert [(index, identifier) for index, identifier, _ in late] == [(i, str(i)) for i in expected_late]
    assert [lag for *_, lag in late] == [max(times[:i]) - times[i] for i in expected_late]
    assert len(out) + len(late) == len(times)


def test_memory_is_bounded_by_the_window():
    held = handed_out = 0

    def arriving():
        nonlocal held
        generator = np.random.default_rng(0)
        for start in range(0, 100_000, 1000):
            times = np.arange(start, start + 1000) + generator.integers(-100, 100, 1000)
            held += 1000
            yield batch_of(range(start, start + 1000), times)
            assert held - handed_out <= 2 * 1200

    for batch in reorder(arriving(), 200, pytest.fail):
        handed_out += len(batch)
    assert handed_out == held == 100_000


def test_a_window_wider_than_all_time_does_not_overflow():
    times = [-(2**58), 2**58, 0]
    (batch,) = reorder(batches_of(times, 1), LARGEST_WINDOW * 8, pytest.fail)
    assert times_of(batch).tolist() == sorted(times)


def test_a_negative_window_is_refused_and_nothing_gives_nothing():
    with pytest.raises(InvalidInput, match="must not be negative"):
        list(reorder([], -1, pytest.fail))
    assert list(reorder([], 1, pytest.fail)) == []
    assert list(reorder([batch_of([], [])], 1, pytest.fail)) == []


def test_sorting_is_stable_and_leaves_sorted_tables_alone():
    table = pa.Table.from_batches(batches_of([3, 1, 3, 1, 2], 2))
    assert sort_by_time(table)["id"].to_pylist() == ["1", "3", "4", "0", "2"]
    in_order = sort_by_time(table)
    assert sort_by_time(in_order) is in_order
