import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.streams.units import FEWEST_DAYS, FEWEST_UNITS, merged_units, units_of


def hours(values):
    return np.datetime64("2020-01-01", "us") + (np.asarray(values) * 3600e6).astype("timedelta64[us]")


def test_days_are_units_where_there_are_enough():
    units = units_of(hours(np.repeat(24 * np.arange(FEWEST_DAYS), 3) + np.tile([0, 5, 23.9], FEWEST_DAYS)))
    assert units.kind == "day"
    np.testing.assert_array_equal(units.index, np.repeat(np.arange(FEWEST_DAYS), 3))


def test_too_few_days_are_cut_into_the_longest_step_that_gives_enough():
    assert units_of(hours(np.arange(24 * 20))).kind == "6h"
    assert units_of(hours(np.arange(0, 24 * 3, 0.5))).kind == "1h"
    assert units_of(hours(np.arange(10) * 30)).kind == "document"
    assert units_of(hours(np.arange(24 * 20))).n >= FEWEST_UNITS


def test_equal_times_are_still_separate_documents():
    units = units_of(hours(np.zeros(5)))
    assert units.kind == "document"
    np.testing.assert_array_equal(units.index, np.arange(5))


def test_units_follow_time_for_any_order_of_documents():
    t = np.random.default_rng(0).permutation(hours(np.arange(24 * 60)))
    units = units_of(t)
    assert np.all(np.diff(units.middle) > 0)
    assert np.all(np.diff(units.index[np.argsort(t)]) >= 0)
    np.testing.assert_allclose(np.bincount(units.index), 24)


def test_plain_numbers_are_grouped_by_value():
    units = units_of([2.0, 1.0, 2.0])
    assert (units.kind, units.n) == ("time", 2)
    np.testing.assert_array_equal(units.index, [1, 0, 1])


def test_an_hour_is_a_unit_by_its_name():
    units = units_of(hours([0, 0.5, 1.5]), unit="hour")
    assert (units.kind, units.index.tolist()) == ("1h", [0, 0, 1])


def test_groups_of_any_kind_may_be_given():
    np.testing.assert_array_equal(units_of(hours([5, 1, 4]), unit=[None, "x", None]).index, [1, 0, 1])


@pytest.mark.parametrize("unit", ["0h", "soon", ["one"]])
def test_what_is_not_a_unit_is_refused(unit):
    with pytest.raises(InvalidInput):
        units_of(hours([1, 2]), unit=unit)


def test_no_documents_have_no_units():
    assert units_of(hours([])).n == 0


def test_documents_of_one_time_are_merged_evenly():
    units = units_of(hours(np.zeros(50)))
    merged = merged_units(units, 10)
    assert np.bincount(merged.index).tolist() == [5] * 10
    assert merged.kind == "document"


def test_neighbours_in_time_are_merged_and_few_units_are_kept():
    units = units_of([0.0, 1.0, 8.0, 9.0])
    assert merged_units(units, 4) is units
    assert merged_units(units, 3).index.tolist() == [0, 0, 1, 1]
