r"""Standard errors from the influence of independent units (days, authors) on an estimate.

If unit u changes an estimate by :math:`q_u`, enlarged as if the unit had been left out, the variance of the estimate is
:math:`\sum_u q_u^2`, and Student's distribution has

.. math:: \nu = \frac{2}{\sum q_u^4 / (\sum q_u^2)^2 - 1/U}

degrees of freedom, between 1 and U − 1: an estimate that depends on a single day has about two. These are the variance
and the degrees of freedom of `driftline.local.changed_words.two_sets`, for dense influences.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from driftline.core.arrays import Floats


class UnitErrors(NamedTuple):
    """Standard errors, and the degrees of freedom of their Student's distributions."""

    error: Floats
    freedom: Floats

    def half_width(self, level: float) -> Floats:
        """Return half the width of confidence intervals."""
        found: Floats = student.ppf((1 + level) / 2, self.freedom) * self.error
        return found

    def p_values(self, estimate: Floats) -> Floats:
        """Return the two-sided p-values of estimates that are zero in expectation; one where the error is unknown."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.abs(estimate) / self.error
        found: Floats = np.nan_to_num(2 * student.sf(ratio, self.freedom), nan=1.0)
        return found


def mean_influence(sums: Floats, weight: Floats) -> Floats:
    """Return the influence of every unit on the weighted mean Σ sums / Σ weight: units × kinds.

    `sums` are units × kinds, `weight` has one value per unit; the influence of a unit without weight is zero, and that
    of the only unit is infinite.

    >>> mean_influence(np.array([[1.0], [3.0]]), np.array([1.0, 1.0]))
    array([[-1.],
           [ 1.]])
    """
    total = float(weight.sum())
    if not total > 0:
        return np.full(sums.shape, np.nan)
    residual = sums - weight[:, None] * (sums.sum(axis=0) / total)
    left = total - weight
    with np.errstate(divide="ignore", invalid="ignore"):
        influence = residual / left[:, None]
    alone = (weight > 0) & (left <= 1e-12 * total)
    found: Floats = np.where(weight[:, None] > 0, np.where(alone[:, None], np.inf, influence), 0.0)
    return found


def unit_errors(influence: Floats) -> UnitErrors:
    """Return the standard errors of estimates from the influence of every unit, units × kinds.

    >>> unit_errors(np.array([[-1.0], [1.0]]))
    UnitErrors(error=array([1.41421356]), freedom=array([1.]))
    """
    n_units = int((influence != 0).any(axis=1).sum())
    squares = (influence**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        kurtosis = (influence**4).sum(axis=0) / squares**2
        freedom = 2 / np.maximum(kurtosis - 1 / max(n_units, 1), 0.0)
    freedom = np.clip(np.nan_to_num(freedom, nan=np.inf), 1.0, max(n_units - 1.0, 1.0))
    return UnitErrors(np.sqrt(squares), freedom)
