"""EM finds the weights that make left-out words likely."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from tests.local.streams import drifting

from driftline.local.background_prior import Prior
from driftline.local.bandwidths.leave_one_out import LeaveOneOut
from driftline.local.bandwidths.mixture_weights import component_places, em_weights, mixture_weights
from driftline.local.history import History
from driftline.smoothing.kernels import Kernel


def test_two_components_by_a_search_on_the_line():
    rng = np.random.default_rng(0)
    probabilities, counts = rng.random((200, 2)), rng.integers(1, 4, 200).astype(float)
    best = minimize_scalar(
        lambda p: -(counts * np.log(p * probabilities[:, 0] + (1 - p) * probabilities[:, 1])).sum(),
        bounds=(0, 1),
        method="bounded",
    ).x
    assert em_weights(probabilities, counts)[0] == pytest.approx(best, abs=0.01)


def test_nothing_to_learn_from_leaves_equal_weights():
    assert em_weights(np.empty((0, 4)), np.empty(0)).tolist() == [0.25] * 4


def test_places_are_spread_and_end_with_the_global_one():
    grid = np.append(np.geomspace(1, 100, 29), np.inf)
    places = component_places(grid)
    assert len(places) == 10
    assert places[0] == 0
    assert places[-1] == 29
    assert component_places(np.array([np.inf])) == [0]
    assert component_places(np.array([1.0, np.inf])) == [0, 1]


def test_a_mixture_beats_its_parts_and_likes_what_fits():
    counts, times, _ = drifting(n_documents=1500)
    loo = LeaveOneOut(History.of(counts, times), Kernel())
    widths, priors = np.array([0.002, 0.15, np.inf]), [Prior("dirichlet", 20.0)] * 3
    weights = mixture_weights(loo, widths, priors)
    parts = np.column_stack([loo.probabilities(loo.local(h), p) for h, p in zip(widths, priors)])
    mixed = loo.count @ np.log(parts @ weights)
    assert mixed >= (loo.count @ np.log(parts)).max() - 0.1
    assert weights.argmax() == 1
