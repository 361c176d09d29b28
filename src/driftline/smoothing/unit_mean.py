"""The mean of values that are correlated within units (days), with its confidence interval."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.stats import t

from driftline.core.arrays import Floats, Ints
from driftline.core.confidence_levels import check_level
from driftline.smoothing.grouping import group_sums


class Interval(NamedTuple):
    """A mean with its confidence interval."""

    mean: float
    low: float
    high: float


def unit_mean(values: Floats, unit: Ints, *, level: float = 0.95) -> Interval:
    r"""Return the mean of values, with an interval that treats whole units, not single values, as independent.

    With residuals :math:`e_i` from the mean of :math:`n` values in :math:`G` units, the variance of the mean is
    :math:`\frac{G}{G-1} \sum_d (\sum_{i \in d} e_i)^2 / n^2`, and the quantile is Student's with :math:`G - 1` degrees
    of freedom. The ends are infinite if there are fewer than two units.

    >>> [round(end, 2) for end in unit_mean(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 1, 2, 3]))]
    [2.5, 0.45, 4.55]
    >>> [round(end, 2) for end in unit_mean(np.array([1.0, 1.0, 4.0, 4.0]), np.array([0, 0, 1, 1]))]
    [2.5, -16.56, 21.56]
    """
    check_level(level)
    n = len(values)
    if not n:
        return Interval(math.nan, -math.inf, math.inf)
    index = np.unique(unit, return_inverse=True)[1]
    n_units = int(index.max()) + 1
    mean = float(np.mean(values))
    if n_units < 2:
        return Interval(mean, -math.inf, math.inf)
    squares = float((group_sums(index, np.asarray(values, dtype=np.float64) - mean, n_units) ** 2).sum())
    half = float(t.ppf(0.5 + level / 2, n_units - 1)) * math.sqrt(n_units / (n_units - 1) * squares) / n
    return Interval(mean, mean - half, mean + half)
