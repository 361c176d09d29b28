r"""Linear trends of values by unit of exchange (days), and a test that permutes whole units.

Unit u has weight :math:`n_u`, sum :math:`x_u` and position :math:`t_u`. Observations of one unit may be correlated: its
sum has the variance :math:`k n_u + \varphi n_u^2`, with k and φ fitted to the squared residuals, and the line is fitted
by least squares with the weights :math:`v_u n_u`, :math:`v_u = 1 / (k + \varphi n_u)`. The statistic of the test is
:math:`|\sum_u R_u (t_u - \bar t)|` with :math:`R_u = v_u (x_u - n_u s)` and :math:`s = \sum v x / \sum v n`. Its null
distribution is that of the same units in random order.

A line is uninformative about times with hardly any data, so its change is given over the effective span of the units:
:math:`\sqrt{12}` times the standard deviation of their times under the weights of the line, which is the length of an
interval with evenly distributed weight, and at most the time from the first unit to the last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls
from scipy.stats import t as student

from driftline.core.arrays import Floats
from driftline.core.randomness import Seed, generator
from driftline.smoothing.unit_means import UnitSums

N_PERMUTATIONS = 1999
FEWEST_UNITS = 6
"""Minimum number of units for a test; with fewer, no permutation is rare enough to be significant."""
_AT_A_TIME = 64
_ROUNDING = 1e-12


class UnitTrends(NamedTuple):
    """One value per kind: the change along the line over its span, the standard error, and the p-value of the test."""

    change: Floats
    error: Floats
    p_value: Floats


def unit_trends(units: UnitSums, *, n_permutations: int = N_PERMUTATIONS, random_state: Seed = 0) -> UnitTrends:
    """Fit a line to every kind and test it by permuting whole units.

    No p-value is below 1 / (n_permutations + 1).

    >>> rng = np.random.default_rng(0)
    >>> event_of_day = rng.normal(size=60)
    >>> means = np.column_stack([event_of_day, event_of_day + np.arange(60) / 20])
    >>> found = unit_trends(UnitSums(np.arange(60.0), 5 * means, np.full(60, 5.0)))
    >>> bool(found.p_value[0] > 0.05), float(found.p_value[1])
    (True, 0.0005)
    """
    n_units, n_kinds = units.sums.shape
    if n_units < FEWEST_UNITS or np.ptp(units.times) == 0:
        return UnitTrends(np.zeros(n_kinds), np.full(n_kinds, np.inf), np.ones(n_kinds))
    precision = unit_precisions(units)
    change, error = _lines(units, precision)
    residuals = unit_residuals(units, precision)
    return UnitTrends(change, error, _exchanged(residuals, units.times, n_permutations, random_state))


def unit_precisions(units: UnitSums) -> Floats:
    """Return v of the equations above, units × kinds, scaled to mean one."""
    weight = units.weight
    design = np.column_stack([np.ones(len(weight)), weight])
    squared = (units.sums - weight[:, None] * units.mean()) ** 2 / weight[:, None]  # about k + φ n
    result = np.ones_like(units.sums)
    for column, values in enumerate(squared.T):
        (k, phi), _ = nnls(design, values)
        if k + phi > 0:
            variance = k + phi * weight
            result[:, column] = 1 / np.maximum(variance, variance.max() * _ROUNDING)
    found: Floats = result / result.mean(axis=0)
    return found


def unit_residuals(units: UnitSums, precision: Floats) -> Floats:
    """Return R of the equations above, units × kinds; every column sums to zero."""
    weight = units.weight[:, None]
    overall = (precision * units.sums).sum(axis=0) / (precision * weight).sum(axis=0)
    found: Floats = precision * (units.sums - weight * overall)
    return found


def two_sided_p_values(change: Floats, error: Floats, n_units: int) -> Floats:
    """Return the p-values of Student's test of changes with these standard errors.

    >>> two_sided_p_values(np.array([0.1, 0.0]), np.array([0.05, 0.0]), 30).round(3)
    array([0.055, 1.   ])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.abs(change) / error
    ratio = np.where(error > _ROUNDING, ratio, np.where(np.abs(change) > _ROUNDING, np.inf, 0.0))
    found: Floats = 2 * student.sf(ratio, max(n_units - 2, 1))
    return found


def unit_changes(units: UnitSums) -> Floats:
    """Return the changes of `unit_trends` alone, without the test."""
    return _lines(units, unit_precisions(units))[0]


def _lines(units: UnitSums, precision: Floats) -> tuple[Floats, Floats]:
    """Return the change of every kind over its span, and its error from residuals of units, each left out."""
    weight, sums = precision * units.weight[:, None], precision * units.sums
    total = weight.sum(axis=0)
    mean = sums.sum(axis=0) / total
    whole = float(np.ptp(units.times)) or 1.0
    x = (units.times[:, None] - units.times @ weight / total) / whole
    spread = np.maximum((weight * x**2).sum(axis=0), np.finfo(np.float64).tiny)
    slope = (x * sums).sum(axis=0) / spread
    leverage = np.minimum(weight * (1 / total + x**2 / spread), 1 - 1e-9)
    residuals = (sums - weight * (mean + x * slope)) / (1 - leverage)
    span = np.minimum(1.0, np.sqrt(12.0 * spread / total))
    return span * slope, span * np.sqrt(((x * residuals) ** 2).sum(axis=0)) / spread


def _exchanged(residuals: Floats, place: Floats, n_permutations: int, random_state: Seed) -> Floats:
    """Return the share of random orders whose statistic is at least that of the observed order."""
    x = place - place.mean()
    found = np.abs(x @ residuals)
    # sums that differ only by rounding count as equal
    reach = found - 1e-9 * np.sqrt((x**2).sum() * (residuals**2).sum(axis=0))
    random = generator(random_state)
    at_least = np.zeros(residuals.shape[1])
    for start in range(0, n_permutations, _AT_A_TIME):
        n = min(_AT_A_TIME, n_permutations - start)
        orders = random.permuted(np.broadcast_to(x, (n, len(x))), axis=1)
        at_least += (np.abs(orders @ residuals) >= reach).sum(axis=0)
    return (1 + at_least) / (1 + n_permutations)
