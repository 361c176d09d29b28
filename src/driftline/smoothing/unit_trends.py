r"""Is there a trend, if whole units (days) may be exchanged? A permutation test for values of documents.

Unit :math:`d` of :math:`n_d` documents has the sum :math:`S_d` of their values (their shares of a topic, say) and
stands at :math:`x_d`. Its residual is :math:`R_d = w_d (S_d - n_d s)`, with :math:`s = \sum w S / \sum w n` and

.. math:: w_d = \frac1{k + \varphi n_d}, \quad k = \frac{\sum_i e_i^2}{n}, \quad
   \varphi = \frac{\max\left(\sum_d E_d^2 - \sum_i e_i^2, 0\right)}{\sum_d n_d^2}

where :math:`e_i` are the documents' deviations from the mean and :math:`E_d` their sums by unit: documents of one unit
may agree as much as they like. The statistic is :math:`|\sum_d R_d (x_d - \bar x)|`, and its null distribution that of
the same units in random order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.core.randomness import generator
from driftline.smoothing.grouping import group_sums

N_PERMUTATIONS = 1999
FEWEST_UNITS = 6
"""Fewer units have no order rare enough to be surprising."""
_AT_A_TIME = 64


def trend_p_values(
    values: Floats, unit: Ints, place: Floats, *, n_permutations: int = N_PERMUTATIONS, random_state: Any = 0
) -> Floats:
    """Return, for every column of `values` (documents × columns), how surprising its trend would be without one.

    Parameters
    ----------
    values : one row per document
    unit : the number of each document's unit, from 0
    place : where each unit stands, on any scale
    n_permutations : int
        Random orders of the units; no p-value is below 1 / (n_permutations + 1).
    random_state : int, Generator or None

    >>> day = np.repeat(np.arange(60), 5)
    >>> rng = np.random.default_rng(0)
    >>> event_of_day = rng.normal(size=60)[day]
    >>> p = trend_p_values(np.column_stack([event_of_day, event_of_day + day / 20]), day, np.arange(60.0))
    >>> bool(p[0] > 0.05), float(p[1])
    (True, 0.0005)
    """
    values = np.asarray(values, dtype=np.float64)
    n_units = len(place)
    if n_units < FEWEST_UNITS or not values.shape[1]:
        return np.ones(values.shape[1])
    residuals = unit_residuals(values, unit, n_units)
    x = np.asarray(place, dtype=np.float64) - np.mean(place)
    found = np.abs(x @ residuals)
    # sums that differ by rounding alone are equal
    reach = found - 1e-9 * np.sqrt((x**2).sum() * (residuals**2).sum(axis=0))
    random = generator(random_state)
    at_least = np.zeros(values.shape[1])
    for start in range(0, n_permutations, _AT_A_TIME):
        n = min(_AT_A_TIME, n_permutations - start)
        orders = random.permuted(np.broadcast_to(x, (n, n_units)), axis=1)
        at_least += (np.abs(orders @ residuals) >= reach).sum(axis=0)
    return (1 + at_least) / (1 + n_permutations)


def unit_residuals(values: Floats, unit: Ints, n_units: int) -> Floats:
    """Return R of the equations above, units × columns; every column sums to zero."""
    size = np.bincount(unit, minlength=n_units).astype(np.float64)
    result = np.empty((n_units, values.shape[1]))
    for column, value in enumerate(values.T):
        deviation = value - value.mean()
        within = float(deviation @ deviation)
        between = float((group_sums(unit, deviation, n_units) ** 2).sum())
        excess = max(between - within, 0.0) / (size**2).sum()
        variance = within / len(value) + excess * size
        weight = 1 / variance if within > 0 else np.ones(n_units)
        weight /= weight.mean()
        sums = group_sums(unit, value, n_units)
        result[:, column] = weight * (sums - size * (weight @ sums) / (weight @ size))
    return result
