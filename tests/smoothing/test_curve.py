"""Curves are values: equal if all their arrays are, points that are not drawn included."""

import operator

import numpy as np
import pytest

from driftline.smoothing.curve import Curve

NAN = np.nan


def _curve(**changes):
    parts = {
        "times": np.array([0.0, 1.0]),
        "value": np.array([1.0, NAN]),
        "lower": np.array([0.5, NAN]),
        "upper": np.array([1.5, NAN]),
        "effective_size": np.array([9.0, 0.0]),
    }
    return Curve(**parts | changes)


def test_equal_where_all_values_are_and_where_none_is_drawn():
    assert _curve() == _curve()
    assert operator.ne(_curve(), _curve()) is False


@pytest.mark.parametrize("name", ["times", "value", "lower", "upper", "effective_size"])
def test_one_other_value_makes_another_curve(name):
    other = _curve(**{name: np.array([7.0, NAN])})
    assert _curve() != other
    assert operator.eq(_curve(), other) is False


def test_the_level_and_the_number_of_points_count():
    assert _curve() != _curve(level=0.9)
    assert _curve() != Curve(*(part[:1] for part in _curve()[:-1]))


def test_dates_and_times_without_a_date_compare():
    dates = np.array(["2003-03-20", "NaT"], dtype="datetime64[us]")
    assert _curve(times=dates) == _curve(times=dates.copy())
    assert _curve(times=dates) != _curve()


def test_a_curve_is_not_a_tuple_of_its_parts():
    assert _curve() != tuple(_curve())
    assert tuple(_curve()) != _curve()
    assert _curve() != "curve"


def test_a_curve_is_a_frame_with_a_row_per_time():
    table = _curve().to_frame("arrow")
    assert table.column_names == ["time", "value", "lower", "upper", "effective_size"]
    assert table["lower"].to_pylist()[0] == 0.5
    assert repr(_curve()) == "<Curve: 2 times from 0 to 1, bands at 95%>"


def test_several_curves_are_a_frame_with_a_row_per_curve_and_time():
    rows = {name: np.arange(6.0).reshape(3, 2) for name in ("value", "lower", "upper", "effective_size")}
    table = _curve(**rows).to_frame("arrow")
    assert table.column_names == ["series", "time", "value", "lower", "upper", "effective_size"]
    assert table["series"].to_pylist() == [0, 0, 1, 1, 2, 2]
    assert table["value"].to_pylist() == [0, 1, 2, 3, 4, 5]
    assert repr(_curve(**rows)) == "<Curve: 3 curves, 2 times from 0 to 1, bands at 95%>"


def test_a_notebook_shows_a_line_per_curve():
    full = {name: np.array([[1.0, 2.0], [3.0, 2.0]]) for name in ("value", "lower", "upper")}
    one = _curve(**{name: rows[0] for name, rows in full.items()})
    assert one._repr_html_().count("<svg") == 1
    assert [len(curve._picture().series) for curve in (one, _curve(**full))] == [1, 2]
