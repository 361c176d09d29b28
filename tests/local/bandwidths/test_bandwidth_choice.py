"""Every method of selection gives consistent components."""

from __future__ import annotations

import numpy as np
import pytest
from tests.local.streams import drifting

from driftline.local.background_prior import Prior
from driftline.local.bandwidths.bandwidth_choice import CHOICES, choose, cross_validate
from driftline.local.bandwidths.leave_one_out import LeaveOneOut
from driftline.local.history import History
from driftline.smoothing.bandwidths import bandwidth_grid
from driftline.smoothing.kernels import Kernel

STRENGTHS = np.array([1.0, 30.0, 1000.0])


@pytest.fixture(scope="module")
def history():
    return History.of(*drifting(n_documents=800)[:2])


@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("name", CHOICES)
def test_components_fit_their_rule(name, side, history):
    chosen, table = choose(name, history, Kernel("triangular", side), Prior(), STRENGTHS)
    rule = {"cv": "one", "cv-varying": "times", "plugin": "times", "per-word": "words", "mix": "mixture"}[name]
    assert chosen.rule == rule
    assert len(chosen.bandwidths) == len(chosen.strengths) == len(chosen.weights)
    assert set(chosen.bandwidths) <= set(table.bandwidths)
    if rule == "times":
        assert len(chosen.knots) == len(chosen.answering)
    if rule == "words":
        assert len(chosen.answering) == history.counts.shape[1]
    if rule == "mixture":
        assert chosen.weights.sum() == pytest.approx(1)
        assert np.isinf(chosen.bandwidths[-1])


def test_the_best_pair_is_the_best_of_the_table(history):
    loo = LeaveOneOut(history, Kernel())
    table = cross_validate(loo, Prior(), bandwidth_grid(history.times), STRENGTHS)
    row, column = np.unravel_index(table.scores.argmax(), table.scores.shape)
    assert table.bandwidth == table.bandwidths[row]
    assert table.strength == STRENGTHS[column]
    assert 0.02 < table.bandwidth < 0.5
    assert (table.strength_of_each == STRENGTHS[table.scores.argmax(axis=1)])[:-1].all()


def test_among_equals_the_wider_and_stronger_wins():
    history = History.of(drifting()[0], np.zeros(600))
    table = cross_validate(LeaveOneOut(history, Kernel()), Prior(), np.array([1.0, 2.0, np.inf]), STRENGTHS)
    assert np.isinf(table.bandwidth)
    assert table.strength == STRENGTHS[-1]


def test_a_stream_that_rests_is_taken_as_a_whole():
    history = History.of(*drifting(speed=0.0)[:2])
    chosen, _ = choose("cv", history, Kernel(), Prior(), STRENGTHS)
    assert chosen.bandwidths[0] > 0.5 or chosen.strengths[0] == STRENGTHS[-1]
