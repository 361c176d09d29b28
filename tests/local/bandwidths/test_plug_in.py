"""The plug-in bandwidth is near the one that knows the truth."""

from __future__ import annotations

import numpy as np
import pytest
from tests.local.streams import drifting

from driftline.local.bandwidths.asymptotics import best_bandwidth
from driftline.local.bandwidths.plug_in import plugin_bandwidths
from driftline.local.history import History
from driftline.smoothing.kernels import Kernel


def _truth(path, kernel, density, factor=1.0):
    t, step = np.linspace(0.1, 0.9, 33), 1e-3
    here, before, after = path(t), path(t - step), path(t + step)
    slope, curvature = (after - before) / (2 * step), (after - 2 * here + before) / step**2
    motion = (slope**2).sum(axis=1) if kernel.side == "past" else ((curvature / 2) ** 2).sum(axis=1)
    return best_bandwidth(kernel, factor * (1 - (here**2).sum(axis=1)), density, motion)


@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("rho", [0.0, 0.1])
def test_near_the_bandwidth_of_the_true_derivatives(side, rho):
    counts, times, path = drifting(n_documents=4000, n_words=30, rho=rho)
    history, kernel = History.of(counts, times), Kernel("triangular", side)
    knots, found = plugin_bandwidths(history, kernel, np.full(30, rho))
    factor = 1 + rho * history.token_pairs.sum() / history.tokens.sum()
    true = _truth(path, kernel, history.tokens.sum(), factor)
    inner = (knots > 0.1) & (knots < 0.9)
    assert 0.7 < np.median(found[inner]) / np.median(true) < 1.5


def test_clumped_words_call_for_more():
    history = History.of(*drifting(n_documents=2000, n_words=30)[:2])
    plain, clumped = (np.median(plugin_bandwidths(history, Kernel(), np.full(30, r))[1]) for r in (0.0, 0.2))
    assert clumped > 1.2 * plain


def test_a_stream_at_rest_and_a_single_time():
    counts, times, _ = drifting(speed=0.0)
    assert np.median(plugin_bandwidths(History.of(counts, times), Kernel(), np.zeros(60))[1]) > 0.4
    knots, widths = plugin_bandwidths(History.of(counts, np.zeros(600)), Kernel(), np.zeros(60))
    assert (len(knots), widths.tolist()) == (1, [np.inf])
