from __future__ import annotations

import numpy as np
import pytest

from driftline.datasets.courses import YEAR, Event, change, season


def test_a_change_goes_from_nought_to_its_size():
    values = change(-2.0, day=100, width=5)(np.linspace(0, 365, 1000))
    assert (np.diff(values) <= 0).all()
    assert values[0] == pytest.approx(0, abs=1e-6)
    assert values[-1] == pytest.approx(-2)


def test_a_season_comes_round_again():
    course = season(1.5, peak=30)
    np.testing.assert_allclose(course(np.array([30.0, 30 + YEAR])), 1.5)
    assert course(np.array([30 + YEAR / 2]))[0] == pytest.approx(0)


def test_an_event_breaks_in_fast_and_dies_away_slowly():
    event = Event("fire", "politics", 100, 120, 0.5)
    days = np.linspace(90, 130, 4001)
    shape = event.shape(days)
    assert shape.max() == pytest.approx(1)
    assert days[shape.argmax()] == pytest.approx(104)
    assert (shape[(days < 100) | (days > 120)] == 0).all()
    assert np.abs(np.diff(shape)).max() < 0.01
    np.testing.assert_allclose(event.lifts(3.0)(days), 3 * shape)
