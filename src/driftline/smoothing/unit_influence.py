r"""Standard errors from the influence of independent units (days, authors) on an estimate.

If unit u changes an estimate by :math:`q_u`, enlarged as if the unit had been left out, the variance of the estimate is
:math:`\sum_u q_u^2`, and Student's distribution has

.. math:: \nu = \frac{2}{\sum q_u^4 / (\sum q_u^2)^2 - 1/U}

degrees of freedom, between 1 and U − 1: an estimate that depends on a single day has about two. The difference of two
sets has no more degrees of freedom than its less certain part allows (Welch and Satterthwaite): with the variances
:math:`V_A` and :math:`V_B` of the two estimates, of :math:`U_A` and :math:`U_B` units,

.. math:: \nu \le \frac{(V_A + V_B)^2}{V_A^2 / (U_A - 1) + V_B^2 / (U_B - 1)}

Two units that happen to agree would have too small a variance. The variance is therefore bounded below by its value if
the units of a single set, with the deviations :math:`r_u` of both sets, had been assigned at random to sets of the
weights :math:`W_A` and :math:`W_B`:

.. math:: V \ge \frac{1}{W_A + W_B} \Bigl(\frac1{W_A} + \frac1{W_B}\Bigr) \sum_u r_u^2
            = \frac{1}{W_A W_B} \sum_u r_u^2, \qquad r_u = q_u W_A \text{ or } q_u W_B

The variance and the degrees of freedom, without the last bound, are those of
`driftline.local.changed_words.two_sets`, for dense influences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from driftline.core.arrays import Floats


class UnitErrors(NamedTuple):
    """Standard errors, and the degrees of freedom of their Student's distributions."""

    error: Floats
    freedom: Floats

    @classmethod
    def stacked(cls, several: Sequence[UnitErrors]) -> UnitErrors:
        """Return the errors of several estimates as one, with a row for each."""
        return cls(np.array([each.error for each in several]), np.array([each.freedom for each in several]))

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


def difference_errors(first: Floats, second: Floats, total: tuple[float, float]) -> UnitErrors:
    """Return the standard errors of the differences of two estimates, from the influence of every unit on each.

    `total` are the weights of the two estimates, W_A and W_B.

    >>> apart = np.array([[-1.0], [1.0], [0.0], [0.0]])
    >>> difference_errors(apart, apart[::-1], (1.0, 1.0))
    UnitErrors(error=array([2.]), freedom=array([2.]))
    """
    with np.errstate(invalid="ignore"):  # the only unit of both sets: no error can be estimated
        found = unit_errors(first - second)
    in_first, in_second = ((part != 0).any(axis=1) for part in (first, second))
    variances = [(part**2).sum(axis=0) for part in (first, second)]
    welch = welch_freedom(variances[0], int(in_first.sum()), variances[1], int(in_second.sum()))
    deviation = [(first * total[0])[in_first & ~in_second], (second * total[1])[in_second & ~in_first]]
    lower_bound = np.sum([(part**2).sum(axis=0) for part in deviation], axis=0) / max(total[0] * total[1], 1e-300)
    return UnitErrors(np.maximum(found.error, np.sqrt(lower_bound)), np.minimum(found.freedom, welch))


def welch_freedom(variance_a: Floats, n_a: float, variance_b: Floats, n_b: float) -> Floats:
    """Return the degrees of freedom of a difference, from the variance and the number of units of both estimates.

    >>> welch_freedom(np.array([1.0, 1.0]), 5, np.array([0.0, 1.0]), 9)
    array([ 4.        , 10.66666667])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (variance_a + variance_b) ** 2 / (variance_a**2 / max(n_a - 1, 1) + variance_b**2 / max(n_b - 1, 1))
    clipped: Floats = np.maximum(np.nan_to_num(found, nan=np.inf, posinf=np.inf), 1.0)
    return clipped
