"""The compiled smoothing formulas on plain arrays."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.compute.cpu.leave_one_out import probabilities, scores, smoothed
from driftline.compute.variant_codes import ADDITIVE, DIRICHLET, JELINEK_MERCER


@pytest.mark.parametrize("kind", [DIRICHLET, JELINEK_MERCER])
def test_infinite_bandwidth_is_the_global_model(kind):
    """With all data local the strength makes no difference."""
    for strength in (0.1, 0.9):
        assert smoothed(3.0, 10.0, 3.0, 10.0, 4, 0.1, kind, strength) == pytest.approx(3.1 / 10.4)


def test_formulas():
    background = 2.1 / 20.5
    assert smoothed(1.0, 4.0, 2.0, 20.0, 5, 0.1, DIRICHLET, 3.0) == pytest.approx(
        (1 + 0.02 + 3 * background) / (4 + 0.1 + 3)
    )
    assert smoothed(1.0, 4.0, 2.0, 20.0, 5, 0.1, JELINEK_MERCER, 0.25) == pytest.approx(
        0.75 * 1.02 / 4.1 + 0.25 * background
    )
    assert smoothed(1.0, 4.0, 2.0, 20.0, 5, 0.1, ADDITIVE, 0.5) == pytest.approx(1.5 / 6.5)


def test_without_data_the_background_and_without_that_all_alike():
    assert smoothed(0.0, 0.0, 2.0, 20.0, 5, 0.1, DIRICHLET, 3.0) == pytest.approx(2.1 / 20.5)
    assert smoothed(0.0, 0.0, 0.0, 0.0, 5, 0.1, DIRICHLET, 3.0) == pytest.approx(0.2)


def test_scores_are_sums_of_logarithms():
    rng = np.random.default_rng(0)
    own = rng.integers(1, 3, 6).astype(float)
    local, total = own + rng.random(6), own + 5
    tokens, everything, length = np.full(6, 30.0), np.full(6, 90.0), np.full(6, 7.0)
    strengths = np.array([1.0, 10.0])
    found = scores(local, tokens, total, everything, own, length, own, 8, 0.1, DIRICHLET, strengths)
    for j, strength in enumerate(strengths):
        p = probabilities(local, tokens, total, everything, own, length, 8, 0.1, DIRICHLET, strength)
        assert found[j] == pytest.approx((own * np.log(p)).sum())


def test_an_impossible_word_scores_minus_infinity():
    one = np.ones(1)
    assert scores(one, 9 * one, one, 9 * one, one, one, one, 5, 0.0, DIRICHLET, np.zeros(1))[0] == -np.inf
