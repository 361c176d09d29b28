r"""Local means of values by unit of exchange (such as days), with bands from the units' residuals.

Unit u has observations of total weight :math:`n_u` and weighted sum :math:`x_u`. The mean at t is :math:`\hat s(t) =
\sum_u A_u x_u` with :math:`A_u = K_h(t - t_u) / \sum_v K_h(t - t_v)\, n_v`, corrected for its leading bias as in
`driftline.smoothing.bands`. Observations of one unit share its events; units, not observations, vary independently.
With :math:`e_u = x_u - n_u \hat s_{-u}(t_u)`, the residual of a unit when it is left out,

.. math::
    \phi(t) = \frac{\sum_u K_{3h}(t - t_u)\, e_u^2 + 2 \bar\phi \bar n}{\sum_u K_{3h}(t - t_u)\, n_u + 2 \bar n},
    \qquad \bar\phi = \frac{\sum e_u^2}{\sum n_u}, \qquad
    \operatorname{Var} \hat s(t) \approx \phi(t) \sum_u A_u^2 n_u

and the band is Student's; its degrees of freedom are the number of effective units in the wider window, less one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.stats import t as student

from driftline.core.arrays import Floats
from driftline.core.confidence_levels import check_level
from driftline.smoothing.bands import band_terms, corrected_shares
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.running_sums import running_sums

WIDER_FOR_VARIANCE = 3.0
"""Width of the window for the variance of units, relative to that of the mean."""
_PRIOR_UNITS = 2.0
_LEAST_OTHERS = 1e-6
"""Weight of a unit's neighbours, relative to its own, below which it is compared with the mean of all units."""


class UnitSums(NamedTuple):
    """Sums by unit: `times` ascending, `sums` units × kinds, `weight` one positive value per unit."""

    times: Floats
    sums: Floats
    weight: Floats

    def mean(self) -> Floats:
        """Return the overall mean of every kind."""
        found: Floats = self.sums.sum(axis=0) / max(float(self.weight.sum()), np.finfo(np.float64).tiny)
        return found


class UnitMeans(NamedTuple):
    """Local means, requested times × kinds: `value` may lie outside the possible range; `error` is a standard error.

    `quantile` turns the error into half the width of a band; `effective_size` is the effective weight at each time.
    """

    value: Floats
    error: Floats
    quantile: Floats
    effective_size: Floats


def left_out_residuals(units: UnitSums, kernel: Kernel, bandwidth: float) -> Floats:
    """Return x_u - n_u ŝ₋ᵤ(t_u): the deviation of every unit from the mean of the others around it; units × kinds."""
    weight = units.weight[:, None]
    both = sp.csc_array(np.column_stack([units.sums, weight]))
    around = running_sums(both, units.times, units.times, kernel, bandwidth)
    others = around[:, -1:] - weight
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = (around[:, :-1] - units.sums) / others
    return units.sums - weight * np.where(others > _LEAST_OTHERS * weight, rest, units.mean())


def choose_bandwidths(units: UnitSums, kernel: Kernel, candidates: Floats) -> Floats:
    """Return for every kind the bandwidth whose left-out means are nearest to the units; the widest of equal ones."""
    errors = np.array(
        [(left_out_residuals(units, kernel, float(h)) ** 2 / units.weight[:, None]).sum(axis=0) for h in candidates]
    )
    found: Floats = candidates[len(candidates) - 1 - np.argmin(errors[::-1], axis=0)]
    return found


def unit_means(units: UnitSums, when: Floats, kernel: Kernel, bandwidth: float, level: float) -> UnitMeans:
    """Return the local mean of every kind at the requested times, with its error and the quantile for its band."""
    check_level(level)
    times, weight = units.times, units.weight
    terms = band_terms(times, weight, np.zeros(len(times)), when, kernel, bandwidth)
    value = corrected_shares(sp.csc_array(units.sums), times, when, kernel, bandwidth, terms)
    squared = left_out_residuals(units, kernel, bandwidth) ** 2
    prior = _PRIOR_UNITS * weight.mean()
    typical = squared.sum(axis=0) / weight.sum()
    wide = WIDER_FOR_VARIANCE * bandwidth
    sums = running_sums(sp.csc_array(np.column_stack([squared, weight, weight**2])), times, when, kernel, wide)
    phi = (sums[:, :-2] + typical * prior) / (sums[:, -2:-1] + prior)
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.maximum(np.where(sums[:, -1] > 0, sums[:, -2] ** 2 / sums[:, -1], 0.0) + _PRIOR_UNITS - 1, 1.0)
    quantile = student.ppf(0.5 + level / 2, freedom)
    return UnitMeans(value, np.sqrt(phi * terms.single[:, None]), quantile, terms.effective_size)
