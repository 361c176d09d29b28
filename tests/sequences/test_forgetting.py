from __future__ import annotations

import math

import numpy as np
import pytest

from driftline.sequences.forgetting import (
    Trial,
    bandwidths_to_try,
    compared,
    fit_of,
    fit_times,
    in_words,
    rehearsals,
    selected,
)
from driftline.smoothing.kernels import Kernel

PAST, BOTH = Kernel("triangular", "past"), Kernel("triangular")


def trials(gain, n=200, noise=0.1, seed=0):
    """Return a trial of all sentences alike, and one whose losses are lower by `gain`."""
    rng = np.random.default_rng(seed)
    losses = rng.exponential(2.0, n)
    return [
        Trial(math.inf, losses, np.full(n, 4.0)),
        Trial(30.0, losses - gain + rng.normal(0, noise, n), np.full(n, 4.0 + (gain > 0))),
    ]


def test_a_past_rehearsal_learns_only_from_earlier_sentences():
    times = np.sort(np.random.default_rng(0).integers(0, 40, 200)).astype(float)
    found = rehearsals(times, times.astype(int), PAST, 4, 8)
    assert len(found) == 4
    for one in found:
        assert times[one.learned].max() < times[one.predicted].min()
        assert times[one.learned].max() < one.at <= times[one.predicted].min()
    predicted = np.concatenate([one.predicted for one in found])
    assert len(np.unique(predicted)) == len(predicted)
    assert predicted.max() == 199


def test_two_sided_rehearsals_leave_out_whole_units_and_predict_every_sentence_once():
    times = np.sort(np.random.default_rng(0).integers(0, 40, 200)).astype(float)
    unit = times.astype(int)
    found = rehearsals(times, unit, BOTH, 3, 4)
    assert sorted(np.concatenate([one.predicted for one in found]).tolist()) == list(range(200))
    for one in found:
        assert not set(unit[one.learned]) & set(unit[one.predicted])
        nearest = np.abs(times[one.predicted][:, None] - fit_times(times, BOTH, 4)).min(axis=1)
        np.testing.assert_allclose(np.abs(times[one.predicted] - one.at), nearest)


def test_all_sentences_at_one_time_are_not_compared():
    assert rehearsals(np.zeros(50), np.zeros(50, dtype=int), PAST, 3, 8) == []
    assert bandwidths_to_try(np.zeros(50), PAST) == [math.inf]
    assert bandwidths_to_try(np.arange(20.0), PAST) == [math.inf]


def test_fits_in_the_past_are_not_later_than_the_sentence():
    times = np.arange(100.0)
    fits = fit_times(times, PAST, 5)
    when = np.linspace(25, 200, 50)
    assert (fits[fit_of(when, fits, PAST)] <= when).all()
    assert fits[-1] > 99
    both = fit_times(times, BOTH, 5)
    chosen = np.abs(both[fit_of(when, both, BOTH)] - when)
    np.testing.assert_allclose(chosen, np.abs(when[:, None] - both).min(axis=1))


@pytest.mark.parametrize(("gain", "expected"), [(0.5, 30.0), (-0.5, math.inf), (0.0, math.inf)])
def test_forgetting_is_selected_only_if_it_is_clearly_better(gain, expected):
    found = compared(trials(gain), np.full(200, 5.0), np.repeat(np.arange(50), 4))
    assert selected(found).bandwidth == expected
    said = in_words(found, dated=True)
    assert ("does not pay" in said) == math.isinf(expected)
    assert "30 days" in said
    best = next(one for one in found if one.bandwidth == 30.0)
    assert best.loss_gain.mean == pytest.approx(gain / 5, abs=0.005)


def test_too_few_sentences_are_reported():
    only = compared(trials(0.5)[:1], np.full(200, 5.0), np.arange(200))
    assert "too few" in in_words(only, dated=False)
