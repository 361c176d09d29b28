"""Curves for reading, one word and one unit at a time, as the equations say."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import gamma


def triangular(lag: float, bandwidth: float) -> float:
    return max(0.0, 1.0 - abs(lag) / bandwidth) if math.isfinite(bandwidth) else 1.0


def left_out_mean(times, counts, totals, unit: int, bandwidth: float) -> float:
    """Eq. 1: what the other units predict for one of them."""
    share = sum(counts) / sum(totals)
    uses = items = 0.0
    for other in range(len(times)):
        if other != unit:
            weight = triangular(times[unit] - times[other], bandwidth)
            uses += weight * counts[other]
            items += weight * totals[other]
    return totals[unit] * (uses + 0.5) / (items + 0.5 / share)


def score(times, counts, totals, bandwidth: float) -> float:
    """Eq. 2."""
    result = 0.0
    for unit in range(len(times)):
        mean = left_out_mean(times, counts, totals, unit, bandwidth)
        result += (counts[unit] * math.log(mean) if counts[unit] else 0.0) - mean
    return result


def curve_at(times, counts, totals, at: float, bandwidth: float) -> tuple[float, float, float]:
    """Return estimate, lower and upper end at one time (Eq. 3)."""
    near = [triangular(at - t, bandwidth) for t in times]
    wide = [triangular(at - t, bandwidth * math.sqrt(2)) for t in times]
    near_items = sum(k * n for k, n in zip(near, totals))
    wide_items = sum(k * n for k, n in zip(wide, totals))
    weights = [2 * a / near_items - b / wide_items for a, b in zip(near, wide)]
    estimate = min(max(sum(a * c for a, c in zip(weights, counts)), 0.0), 1.0)
    means = [left_out_mean(times, counts, totals, unit, bandwidth) for unit in range(len(times))]
    squares = [(c - m) ** 2 for c, m in zip(counts, means)]
    usual = sorted(range(len(times)), key=lambda unit: squares[unit])[:-3]
    overall = sum(squares[unit] for unit in usual) / sum(means[unit] for unit in usual)
    around = [triangular(at - t, 3 * bandwidth) for t in times]
    local = (sum(k * e for k, e in zip(around, squares)) + 2 * overall) / (
        sum(k * m for k, m in zip(around, means)) + 2
    )
    kappa = max(1.0, local) * sum(a * a * n for a, n in zip(weights, totals))
    lower, upper = (kappa * gamma.ppf(q, estimate / kappa + 0.5) for q in (0.025, 0.975))
    return estimate, min(lower, estimate), min(max(upper, estimate), 1.0)


def by_unit(X: np.ndarray, units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows with each word, and rows, by unit."""
    n = units.max() + 1
    counts, totals = np.zeros((n, X.shape[1])), np.zeros(n)
    for row, unit in zip(X, units):
        counts[unit] += row > 0
        totals[unit] += 1
    return counts, totals
