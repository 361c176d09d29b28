import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.streams.exchange import FEWEST_WHOLE_DAYS, MOST_UNITS, exchange_units


@pytest.mark.parametrize(
    ("n_days", "kind"), [(1, "10min"), (FEWEST_WHOLE_DAYS - 1, "10min"), (FEWEST_WHOLE_DAYS, "day")]
)
def test_few_days_are_still_the_unit_but_hardly_any_are_cut(n_days, kind):
    times = np.datetime64("2003-03-01T00:00", "m") + np.arange(0, n_days * 24 * 60, 4)
    assert exchange_units(times).kind == kind


def test_any_other_unit_may_be_named():
    times = np.datetime64("2003-03-01T00:00", "m") + np.arange(0, 24 * 60 * 9, 30)
    assert exchange_units(times, unit="6h").kind == "6h"
    assert exchange_units(times, unit="document").n == len(times)
    assert exchange_units(times, unit=np.arange(len(times)) % 7).kind == "group"
    assert exchange_units([3.0, 1.0, 3.0]).kind == "time"
    with pytest.raises(InvalidInput, match="there are 3 documents"):
        exchange_units([1.0, 2.0], n=3)


def test_days_with_hardly_a_document_are_joined_with_the_next():
    day = np.repeat(np.arange(12), [1, 40, 40, 2, 1, 40, 1, 1, 1, 40, 40, 1])
    units = exchange_units(np.datetime64("2003-03-01") + np.random.default_rng(0).permutation(day))
    assert (units.kind, units.n) == ("day", 5)
    np.testing.assert_array_equal(np.bincount(units.index), [41, 40, 43, 43, 41])
    assert (np.diff(units.middle) > 0).all()
    assert exchange_units(np.datetime64("2003-03-01") + day, unit="document").n == len(day)
    assert exchange_units(day.astype(float), unit=day).n == 12


def test_two_units_are_joined_if_one_is_very_small():
    assert exchange_units([0.0] * 9 + [1.0]).n == 1
    assert exchange_units([0.0] * 2 + [1.0]).n == 2


def test_no_documents_have_no_units():
    assert exchange_units(np.array([], dtype="datetime64[D]")).n == 0


def test_very_many_days_are_joined_to_as_many_units_as_are_of_use():
    day = np.repeat(np.arange(3000), 2)
    units = exchange_units(np.datetime64("2003-03-01") + day)
    assert 0.8 * MOST_UNITS <= units.n <= MOST_UNITS
    assert np.bincount(units.index).min() >= len(day) / MOST_UNITS
    assert exchange_units(np.datetime64("2003-03-01") + np.arange(400)).n == 400
