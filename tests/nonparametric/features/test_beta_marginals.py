"""Quadrature over base weights against adaptive integration, and recovery of the true concentrations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import betaln

from driftline.nonparametric.features.beta_marginals import (
    PresentWords,
    expected_base,
    expected_new_words,
    log_evidence,
    log_occurring,
    quadrature,
)

PRESENT = np.array([[1, 0, 3, 9, 1, 0], [0, 2, 4, 1, 0, 1]])
N = np.array([10, 5])


def likelihood(m, b, c):
    return np.exp(sum(betaln(c * b + k, c * (1 - b) + n - k) - betaln(c * b, c * (1 - b)) for k, n in zip(m, N)))


def integral(function, c0):
    """Integrate over the density of atoms without γ c₀."""
    return quad(lambda b: function(b) * (1 - b) ** (c0 - 1) / b, 0, 1, points=[1e-3, 0.1], limit=400, epsabs=1e-13)[0]


@pytest.mark.parametrize(("c", "c0"), [(2.0, 1.0), (0.3, 4.0), (40.0, 0.7)])
def test_sums_are_the_integrals(c, c0):
    words = PresentWords.of(PRESENT, N)
    points = quadrature(words, c, c0)
    masses = [integral(lambda b, m=m: likelihood(m, b, c), c0) for m in PRESENT.T]
    means = [integral(lambda b, m=m: b * likelihood(m, b, c), c0) for m in PRESENT.T]
    np.testing.assert_allclose(expected_base(words, points), np.array(means) / masses, rtol=1e-5)
    occurring = integral(lambda b: 1 - likelihood((0, 0), b, c), c0)
    assert log_occurring(points) == pytest.approx(np.log(occurring), rel=1e-5)
    expected = np.log(masses).sum() - 6 * np.log(occurring)
    assert log_evidence(words, c, c0) == pytest.approx(expected, rel=1e-6)
    left = integral(lambda b: b * likelihood((0, 0), b, c), c0)
    np.testing.assert_allclose(expected_new_words(words, points, c, 3.0), 3 * left * c / (c + N), rtol=1e-5)


def test_the_evidence_sums_to_one_over_all_presences():
    words = [PresentWords.of(np.array([[a], [b]]), np.array([2, 1])) for a in range(3) for b in range(2) if a + b]
    several = [2 if word.pairs.tolist()[0] == [0, 1] else 1 for word in words]  # which of two documents
    total = sum(times * np.exp(log_evidence(word, 1.7, 2.0)) for times, word in zip(several, words))
    assert total == pytest.approx(1)


def test_words_with_the_same_numbers_are_one_row():
    words = PresentWords.of(np.array([[1, 0, 1, 2], [0, 1, 0, 2]]), np.array([3, 3]))
    assert words.times.tolist() == [2, 1, 1]
    assert words.words.tolist() == [0, 1, 0, 2]
    assert words.rows.shape[0] == 3
