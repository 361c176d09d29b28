"""A bandwidth varies where the drift does, and not otherwise."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from tests.local.streams import drifting

from driftline.local.background_prior import Prior
from driftline.local.bandwidths.leave_one_out import LeaveOneOut
from driftline.local.bandwidths.varying_bandwidth import varying_components
from driftline.local.history import History
from driftline.smoothing.kernels import Kernel

WIDTHS = np.append(np.geomspace(0.01, 2, 10), np.inf)


def _choose(counts, times):
    loo = LeaveOneOut(History.of(counts, times), Kernel())
    return varying_components(loo, WIDTHS, [Prior("dirichlet", 5.0)] * len(WIDTHS))


def test_narrow_where_it_moves_and_wide_where_it_rests():
    rng = np.random.default_rng(0)
    times = np.sort(rng.random(4000))
    moving = 0.5 + 0.45 * np.sin(40 * np.pi * times)
    share = np.where(times > 0.5, moving, 0.5)
    first = rng.binomial(20, share)
    knots, index = _choose(sp.csr_matrix(np.column_stack([first, 20 - first]).astype(float)), times)
    assert np.median(WIDTHS[index[knots > 0.6]]) < 0.05
    assert np.median(WIDTHS[index[knots < 0.4]]) > 0.1
    assert (np.diff(knots) > 0).all()


def test_does_not_vary_on_a_stream_that_rests():
    counts, times, _ = drifting(speed=0.0)
    _, index = _choose(counts, times)
    assert (WIDTHS[index] >= 0.3).mean() > 0.8


def test_few_times_few_knots():
    knots, index = _choose(sp.csr_matrix(np.ones((4, 2))), np.array([0.0, 0.0, 1.0, 1.0]))
    assert knots.tolist() == [0.0, 1.0]
    assert len(index) == 2


def test_impossible_words_count_without_smoothing():
    counts = sp.csr_matrix(np.eye(30)[np.random.default_rng(0).integers(0, 30, 60)])
    loo = LeaveOneOut(History.of(counts, np.arange(60.0)), Kernel())
    widths = np.array([2.5, 4.0, 16.0, 64.0, np.inf])
    _, index = varying_components(loo, widths, [Prior.bare()] * len(widths))
    assert (widths[index] >= 64).all()  # narrower windows lack the words of their documents
