"""Shares of classes from a classifier's probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.evaluation import predicted_shares
from driftline.intensity.classification.vector_scaling import fit_vector_scaling

pytestmark = pytest.mark.filterwarnings("ignore:.*was given no times")


def probabilities(rng, y, n_classes=2):
    """Return what a mediocre classifier trained on equal shares would say of documents of the given classes."""
    scores = rng.normal(0, 1.2, (len(y), n_classes)) + 1.5 * np.eye(n_classes)[y]
    odds = np.exp(1.5 / 1.2**2 * scores)
    return odds / odds.sum(axis=1, keepdims=True)


def test_the_mean_is_the_inverse_of_the_confusion_applied_to_the_mean_probability():
    rng = np.random.default_rng(0)
    known, y = rng.integers(0, 3, 600), rng.integers(0, 3, 500)
    held_out, proba = probabilities(rng, known, 3), probabilities(rng, y, 3)
    times = np.zeros(500)
    found = predicted_shares(proba, held_out, known, times=times, when=[0.0], bandwidth=1.0)
    scaling = fit_vector_scaling(np.log(held_out), known)
    odds, known_odds = (np.exp(scaling.scores(np.log(p))) / np.bincount(known) for p in (proba, held_out))
    balanced, known_balanced = odds / odds.sum(axis=1)[:, None], known_odds / known_odds.sum(axis=1)[:, None]
    mixing = np.array([[known_balanced[known == k, j].mean() for k in range(3)] for j in range(3)])
    np.testing.assert_allclose(found.share[:, 0], np.linalg.solve(mixing, balanced.mean(axis=0)), atol=1e-9)
    np.testing.assert_allclose(found.uncorrected[:, 0], proba.mean(axis=0), atol=1e-9)


def test_the_slope_is_one_and_the_band_covers():
    slopes, plain, covered = [], [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        days = np.repeat(np.arange(200.0), 10)
        truth = 0.5 + 0.4 * np.sin(days / 200 * 2 * np.pi)
        y, known = (rng.random(2000) < truth).astype(int), rng.integers(0, 2, 500)
        when = np.linspace(20, 180, 30)
        found = predicted_shares(
            probabilities(rng, y), probabilities(rng, known), known, times=days, when=when, bandwidth=15.0
        )
        true = 0.5 + 0.4 * np.sin(when / 200 * 2 * np.pi)
        slopes.append(np.polyfit(true, found.share[1], 1)[0])
        plain.append(np.polyfit(true, found.uncorrected[1], 1)[0])
        covered.append(((found.lower[1] <= true) & (true <= found.upper[1])).mean())
    assert np.mean(slopes) == pytest.approx(1.0, abs=0.05)
    assert np.mean(plain) < 0.75
    assert 0.88 < np.mean(covered) < 0.995


def test_the_band_allows_for_the_error_of_the_confusion():
    """With few labelled documents the band is wider than with many, for streams of any length."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 3000)
    proba, widths = probabilities(rng, y), []
    for n in (40, 4000):
        known = np.arange(n) % 2
        found = predicted_shares(proba, probabilities(rng, known), known, when=[1500.0], bandwidth=1000.0)
        widths.append(float(found.upper[1, 0] - found.lower[1, 0]))
    assert widths[0] > 1.5 * widths[1]


def test_a_curve_of_one_class():
    rng = np.random.default_rng(1)
    known = np.arange(200) % 2
    found = predicted_shares(probabilities(rng, known), probabilities(rng, known), known)
    curve = found.curve(1)
    assert len(curve.value) == len(found.times) == 200
    assert found.level == 0.95
    assert (curve.lower <= curve.value).all()
    assert (curve.value <= curve.upper).all()


def test_what_cannot_be_used_is_refused():
    rng = np.random.default_rng(2)
    known = np.arange(40) % 2
    good = probabilities(rng, known)
    with pytest.raises(InvalidInput, match="at least twice"):
        predicted_shares(good, good, np.zeros(40, dtype=int))
    with pytest.raises(InvalidInput, match="one per document"):
        predicted_shares(good, good, known[:5])
    with pytest.raises(InvalidInput, match="hardly distinguishes"):
        predicted_shares(good, np.full((40, 2), 0.5), known)
    with pytest.raises(InvalidInput, match="held_out 2"):
        predicted_shares(np.full((5, 3), 1 / 3), good, known)
    with pytest.raises(InvalidInput, match="negative"):
        predicted_shares(-good, good, known)
    with pytest.raises(InvalidInput, match="must be above zero, not 0"):
        predicted_shares(good, good, known, times=range(40), bandwidth=0.0)
    with pytest.raises(InvalidInput, match="one column per class"):
        predicted_shares(good[:, 0], good, known)
