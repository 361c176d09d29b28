"""The mean of values that are correlated within units (days), with its confidence interval."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.core.confidence_levels import check_level
from driftline.smoothing.grouping import group_sums
from driftline.smoothing.unit_influence import UnitErrors, mean_influence, unit_errors


class Interval(NamedTuple):
    """A mean with its confidence interval."""

    mean: float
    low: float
    high: float


def unit_mean(values: Floats, unit: Ints, *, level: float = 0.95) -> Interval:
    r"""Return the mean of values, with an interval that treats whole units, not single values, as independent.

    The variance is :math:`\sum_d q_d^2` with the influence :math:`q_d` of every unit on the mean, enlarged as if the
    unit had been left out, and the degrees of freedom of Student's quantile are those of
    `driftline.smoothing.unit_influence`: fewer than the number of units if a few units have most of the values. The
    ends are infinite if there are fewer than two units.

    >>> [round(end, 2) for end in unit_mean(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 1, 2, 3]))]
    [2.5, 0.13, 4.87]
    >>> [round(end, 2) for end in unit_mean(np.array([1.0, 1.0, 4.0, 4.0]), np.array([0, 0, 1, 1]))]
    [2.5, -24.45, 29.45]
    """
    check_level(level)
    if not len(values):
        return Interval(math.nan, -math.inf, math.inf)
    mean = float(np.mean(values))
    errors = mean_errors(values, unit)
    if errors is None:
        return Interval(mean, -math.inf, math.inf)
    half = float(errors.half_width(level)[0])
    return Interval(mean, mean - half, mean + half)


def mean_errors(values: Floats, unit: Ints) -> UnitErrors | None:
    """Return the standard error of the mean of values in independent units; None if there are fewer than two units."""
    index = np.unique(unit, return_inverse=True)[1]
    n_units = int(index.max(initial=-1)) + 1
    if n_units < 2:
        return None
    sums = group_sums(index, np.asarray(values, dtype=np.float64), n_units)
    return unit_errors(mean_influence(sums[:, None], np.bincount(index).astype(np.float64)))
