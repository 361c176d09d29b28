r"""Dispersion of the steps of a series: how much counts vary without any change of level.

Documents of a step are correlated, so that counts vary more than binomial or Poisson ones (1), and an event of several
steps makes neighbours alike (1b). The equations are in the docstring of `driftline.sequences.regimes.Regimes`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from driftline.core.arrays import Floats
from driftline.sequences.emissions import KINDS, Emissions

QUANTILES = (0.5, 0.9)
"""Quantiles of squared standardised differences, which are compared with those of χ² with one degree of freedom.

The median is hardly affected by changes of level. The upper quantile detects single steps that are far from their
neighbours, which the median does not; changes of level affect it only if one step in ten is a change.
"""
LARGEST_RESIDUAL = 3.0
"""Residuals are bounded here, in standard deviations, so that the correlation does not depend on a few steps."""
LARGEST_CORRELATION = 0.95
"""Upper bound of the correlation of neighbours in (1b)."""
FEWEST_NEIGHBOURS = 20
"""With fewer pairs of neighbouring steps, steps are treated as independent."""


class Series(NamedTuple):
    """Counts (steps × 1), or counts and totals (steps × 2), and which steps were observed."""

    values: Floats
    seen: np.ndarray
    kind: str

    @property
    def emissions(self) -> Emissions:
        """The emissions of a level."""
        return KINDS[self.kind]


def observed_rates(series: Series) -> Floats:
    """Return the count, or the share, of every step."""
    if series.kind == "poisson":
        return series.values[:, 0]
    found: Floats = series.values[:, 0] / np.maximum(series.values[:, 1], 1e-300)
    return found


def dispersions(series: Series) -> Floats:
    """Return φ of (1) for every step: the ratio of the differences of neighbours to those of counts of one level."""
    values, rates = series.values[series.seen], observed_rates(series)[series.seen]
    found = np.ones(len(series.values))
    if len(values) < 3:
        return found
    if series.kind == "poisson":
        variance = values[1:, 0] + values[:-1, 0]
        known = variance > 0
        squares = np.diff(rates)[known] ** 2 / variance[known]
        return found * max([1.0, *(_excess(squares, q) for q in QUANTILES if known.any())])
    hits, totals = values.T
    share = (hits[1:] + hits[:-1]) / (totals[1:] + totals[:-1])
    known = (share > 0) & (share < 1)
    if not known.any():
        return found
    squares = np.diff(rates)[known] ** 2 / (share * (1 - share))[known]
    alone, together = 1 / totals, np.maximum(1 - 1 / totals, 0.0)

    def excess(rho: float, q: float) -> float:
        variance = alone + rho * together
        return _excess(squares / (variance[1:] + variance[:-1])[known], q) - 1.0

    rho = max(
        0.0 if excess(0.0, q) <= 0 else 1.0 if excess(1.0, q) >= 0 else brentq(excess, 0, 1, q) for q in QUANTILES
    )
    found[series.seen] += rho * np.maximum(totals - 1, 0.0)
    return found


def clustering_of(residuals: Floats, seen: np.ndarray) -> float:
    """Return the factor of (1b) from the residuals of the steps; one if neighbours are not significantly correlated.

    >>> noise = np.random.default_rng(0).normal(size=401)
    >>> clustering_of(noise, np.ones(401, dtype=bool))
    1.0
    >>> round(clustering_of(noise[1:] + noise[:-1], np.ones(400, dtype=bool)))
    3
    """
    bounded = np.clip(residuals, -LARGEST_RESIDUAL, LARGEST_RESIDUAL)
    neighbours = seen[1:] & seen[:-1]
    n = int(neighbours.sum())
    if n < FEWEST_NEIGHBOURS:
        return 1.0
    bounded = bounded - bounded[seen].mean()
    variance = float((bounded[seen] ** 2).mean())
    correlation = float((bounded[1:] * bounded[:-1])[neighbours].mean()) / max(variance, 1e-300)
    correlation = min(correlation, LARGEST_CORRELATION)
    return (1 + correlation) / (1 - correlation) if correlation > 2 / np.sqrt(n) else 1.0


def _excess(squares: Floats, q: float) -> float:
    return float(np.quantile(squares, q) / stats.chi2.ppf(q, 1))
