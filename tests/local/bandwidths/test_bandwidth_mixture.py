"""Components answer alone, by time, by word or mixed, alike for whole distributions and for pairs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.local.streams import small
from tests.oracles.local_likelihood import distribution

from driftline.local.background_prior import Prior
from driftline.local.bandwidths.bandwidth_mixture import ComponentModel, Components, left_out_at
from driftline.local.bandwidths.leave_one_out import LeaveOneOut
from driftline.local.history import History
from driftline.smoothing.kernels import Kernel

NONE = np.empty(0)
WHEN = np.array([0.5, 2.0, 3.5])


def _components(rule):
    widths, strengths = np.array([1.2, 3.0, np.inf]), np.array([2.0, 5.0, 9.0])
    if rule == "one":
        return Components.one(1.2, 2.0)
    knots = np.array([0.0, 2.0, 4.0]) if rule == "times" else NONE
    answering = {"times": [0, 2, 1], "words": [0, 1, 1, 2], "mixture": []}[rule]
    weights = np.array([0.5, 0.3, 0.2]) if rule == "mixture" else np.ones(3)
    return Components(rule, widths, strengths, weights, knots, np.array(answering, dtype=int))


@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("rule", ["one", "times", "words", "mixture"])
@pytest.mark.parametrize("kind", ["dirichlet", "jelinek-mercer", "additive"])
def test_whole_distributions_are_put_together_from_single_ones(rule, side, kind):
    counts, times = small(seed=3)
    kernel, prior = Kernel("triangular", side), Prior(kind)
    chosen = _components(rule)
    if kind == "jelinek-mercer":
        chosen = chosen._replace(strengths=chosen.strengths / 10)
    model = ComponentModel(History.of(sp.csr_matrix(counts), times), kernel, prior, chosen)
    found, supported = model.probabilities(WHEN)
    for i, t in enumerate(WHEN):
        each = [
            distribution(counts, times, t, kernel, h, prior._replace(strength=s))
            for h, s in zip(chosen.bandwidths, chosen.strengths)
        ]
        if rule == "one":
            expected = each[0]
        elif rule == "times":
            expected = each[[0, 2, 1][i]]
        elif rule == "words":
            expected = np.array([each[j][w] for w, j in enumerate(chosen.answering)])
            expected = expected / expected.sum()
        else:
            expected = sum(w * e for w, e in zip(chosen.weights, each))
        np.testing.assert_allclose(found[i], expected, rtol=1e-10)
    assert supported.all() or side == "past"


@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("rule", ["one", "times", "words", "mixture"])
def test_pairs_are_entries_of_the_whole(rule, side):
    counts, times = small(seed=4)
    model = ComponentModel(
        History.of(sp.csr_matrix(counts), times), Kernel("triangular", side), Prior(), _components(rule)
    )
    at = np.array([0.0, 0.5, 2.0, 3.5, 9.0])
    whole, supported = model.probabilities(at)
    indptr = np.arange(0, 21, 5)
    row = np.tile(np.arange(5), 4)
    pairs, supported_too = model.pair_probabilities(indptr, at, row)
    np.testing.assert_allclose(pairs.reshape(4, 5).T, whole, rtol=1e-10)
    assert (supported == supported_too).all()


def test_the_per_time_limit_uses_one_time_only():
    counts, times = small(seed=5)
    history = History.of(sp.csr_matrix(counts), times)
    offline = ComponentModel(history, Kernel(), Prior.bare(), Components.one(0.0, 0.0))
    here = counts[times == history.times[1]].sum(axis=0)
    np.testing.assert_allclose(offline.probabilities(history.times[1:2])[0][0], here / here.sum())
    online = ComponentModel(history, Kernel("triangular", "past"), Prior.bare(), Components.one(0.0, 0.0))
    np.testing.assert_allclose(online.probabilities(history.times[2:3])[0][0], here / here.sum())
    first, supported = online.probabilities(history.times[:1])
    np.testing.assert_allclose(first, 0.25)
    assert not supported[0]


@pytest.mark.parametrize("side", ["both", "past"])
def test_leaving_out_at_the_per_time_limit(side):
    counts, times = small(seed=6)
    history, kernel = History.of(sp.csr_matrix(counts), times), Kernel("triangular", side)
    view, shape, width = left_out_at(history, kernel, 0.0)
    prior = Prior("dirichlet", 3.0)
    found = LeaveOneOut(view, shape).scores(width, prior, np.array([3.0]))[0]
    expected = 0.0
    for d, row in enumerate(counts):
        rest = np.arange(len(counts)) != d
        model = ComponentModel(
            History.of(sp.csr_matrix(counts[rest]), times[rest]), kernel, prior, Components.one(0.0, 3.0)
        )
        expected += row @ np.log(model.probabilities(times[[d]])[0][0])
    assert found == pytest.approx(expected)
