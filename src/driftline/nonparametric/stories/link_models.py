r"""The probability that a document continues the story of a candidate: from cosines, or learned from known links.

Without known links the log odds of a candidate e of document d are

.. math:: z = -0.5 + 1.4 \ln\min\Bigl(\frac{\cos(d, e)\,e^{-(t_d - t_e)/\tau}}{\theta},\;
          \frac{\cos(d, e)}{\min(0.8,\, 2 / \sqrt{n_d n_e})}\Bigr),                                           (1)

where n are numbers of distinct words, and d continues e if the minimum is at least 1: short documents must have more
than one word in common, and documents of one word are linked if it is the same. With known links, the log odds are
linear in the cosine, its square, the logarithm of the time between the documents, the logarithms of their lengths, the
lead over the next candidate, and the cosine of the last candidate (2), which is high for text that many documents
share. They are recalibrated on later candidates than those they were learned from, because the best of several
candidates is correct less often than its odds indicate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from driftline.core.arrays import Bools, Floats, Ints
from driftline.core.errors import InvalidInput

SHORT, HIGHEST_THRESHOLD = 2.0, 0.8
COSINE_CUT, COSINE_SLOPE = -0.5, 1.4
"""Intercept and slope of (1), fitted to the first quarter of mailing lists (`benchmarks/nonparametric/stories.py`)."""
CUTS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6)
"""Candidates of `fit_links` for the minimum probability of a learned link that is followed."""
LEAST = 1e-12
YOUNGEST = 1e-3
"""Added to ages, as a share of the memory, before the logarithm."""
N_FEATURES = 8
MOST_PAIRS = 1500
"""Maximum number of known links, the newest, on which probabilities are recalibrated."""
FEWEST_PAIRS = 200
"""Minimum number of known links for recalibration."""
N_BINS, FEWEST_IN_BIN, SHRINKAGE = 15, 20, 2.0
NO_KNOTS = np.empty((2, 0))
"""Identity calibration."""
EARLIER = 0.75
"""Share of the known links, the earliest, from which the coefficients are learned; the others recalibrate."""


class Candidates(NamedTuple):
    """Candidates of documents: cosine, decayed cosine, age, whether it exists; lengths of both documents."""

    cosines: Floats
    scores: Floats
    ages: Floats
    exist: Bools
    lengths: Ints
    target_lengths: Ints


def cosine_odds(candidates: Candidates, threshold: float) -> Floats:
    """Return (1), −∞ for missing candidates.

    >>> one = np.ones((1, 1))
    >>> same_word = Candidates(one, one, 0 * one, one > 0, np.ones(1), one)
    >>> cosine_odds(same_word, 0.15).round(1)
    array([[-0.2]])
    """
    together = np.sqrt(np.maximum(candidates.lengths[:, None] * candidates.target_lengths, 1))
    least = np.minimum(HIGHEST_THRESHOLD, SHORT / together)
    relative = np.minimum(candidates.scores / threshold, candidates.cosines / least)
    return np.where(candidates.exist, COSINE_CUT + COSINE_SLOPE * np.log(np.maximum(relative, LEAST)), -np.inf)


def link_features(candidates: Candidates, memory: float) -> Floats:
    """Return the features of (2), documents × candidates × features; the first is constant."""
    found = np.empty((*candidates.cosines.shape, N_FEATURES))
    scores = np.where(candidates.exist, candidates.scores, 0.0)
    found[..., 0] = 1.0
    found[..., 1] = candidates.cosines
    found[..., 2] = candidates.cosines**2
    found[..., 3] = np.log(candidates.ages / memory + YOUNGEST)
    found[..., 4] = np.log(np.maximum(candidates.lengths, 1))[:, None]
    found[..., 5] = np.log(np.maximum(candidates.target_lengths, 1))
    found[..., 6] = scores - np.concatenate([scores[:, 1:], np.zeros((len(scores), 1))], axis=1)
    found[..., 7] = candidates.cosines[:, -1:]
    return found


def learned_odds(features: Floats, exist: Bools, coefficients: Floats) -> Floats:
    """Return (2), −∞ for missing candidates."""
    return np.where(exist, features @ coefficients, -np.inf)


def recalibrated(odds: Floats, calibration: Floats) -> Floats:
    """Return log odds through a calibration: interpolated between its knots, constant beyond them."""
    return np.interp(odds, calibration[0], calibration[1]) if calibration.shape[1] else odds


def learn_coefficients(features: Floats, exist: Bools, same: Bools) -> tuple[Floats, Floats]:
    """Return the coefficients of (2) and their calibration, from known links in time order."""
    n = max(1, int(EARLIER * len(same)))
    here = exist[:n]
    if len(np.unique(same[:n][here])) < 2:
        raise InvalidInput(
            "known links need candidates of the same group and of different ones; pass more documents with groups"
        )
    model = LogisticRegression(C=10.0, fit_intercept=False, max_iter=1000).fit(features[:n][here], same[:n][here])
    coefficients = np.asarray(model.coef_[0], dtype=np.float64)
    odds = learned_odds(features[n:], exist[n:], coefficients)
    best = odds.argmax(axis=1) if len(odds) else np.empty(0, np.int64)
    rows = np.flatnonzero(exist[n:].any(axis=1))
    return coefficients, calibrate(odds[rows, best[rows]], same[n:][rows, best[rows]])


def calibrate(odds: Floats, same: Bools) -> Floats:
    """Return a calibration: knots (predicted log odds, true ones), by isotonic regression on bins of equal size.

    Each bin is shrunk towards its prediction by `SHRINKAGE` pseudo-links. Without known links, there are no knots.

    >>> knots = calibrate(np.full(1000, 2.0), np.arange(1000) % 2 == 0)  # predicted 0.88, true 0.5
    >>> recalibrated(np.array([1.5, 2.0]), knots).round(1)
    array([0., 0.])
    """
    order = np.argsort(odds, kind="stable")
    bins = np.array_split(order, min(N_BINS, max(1, len(odds) // FEWEST_IN_BIN))) if len(odds) else []
    if not bins:
        return NO_KNOTS
    sizes = np.array([len(rows) for rows in bins]) + SHRINKAGE
    rows = np.array([[odds[rows].mean(), same[rows].sum() + SHRINKAGE * expit(odds[rows]).mean()] for rows in bins])
    places, place = np.unique(rows[:, 0], return_inverse=True)
    weights = np.bincount(place.ravel(), weights=sizes)
    shares = np.bincount(place.ravel(), weights=rows[:, 1]) / weights
    rising = IsotonicRegression().fit(places, shares, sample_weight=weights).predict(places)
    return np.vstack([places, logit(rising)])


def link_distribution(odds: Floats) -> Floats:
    """Return the probability of a link to each candidate: proportional to its odds; they sum to that of the best.

    >>> link_distribution(np.array([[0.0, 0.0, -np.inf]]))
    array([[0.25, 0.25, 0.  ]])
    """
    best = odds.max(axis=1, initial=-np.inf, keepdims=True)
    some = np.isfinite(best)
    relative = np.where(some, np.exp(odds - np.where(some, best, 0.0)), 0.0)
    total = relative.sum(axis=1, keepdims=True)
    return np.asarray(np.where(some, expit(best) * relative / np.where(total > 0, total, 1.0), 0.0))


def seat_distribution(odds: Floats) -> Floats:
    """Return the probability of each story, where a new one has odds of 1, without overflow."""
    best = np.maximum(odds.max(axis=1, initial=0.0, keepdims=True), 0.0)
    relative = np.exp(odds - best)
    return np.asarray(relative / (relative.sum(axis=1, keepdims=True) + np.exp(-best)))
