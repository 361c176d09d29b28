r"""A bandwidth for every word that a person can read, chosen by leaving out whole units.

For word :math:`w` and unit :math:`u` (a day, say) with :math:`c_u` of :math:`n_u` documents, the share predicted
without the unit is

.. math:: \hat\theta_{-u} = \frac{\sum_{v \ne u} K_h(t_u - t_v)\,c_v + \tfrac12}
                               {\sum_{v \ne u} K_h(t_u - t_v)\,n_v + \tfrac12 / \bar\theta},
          \qquad \mu_u = n_u \hat\theta_{-u}                                                              \tag{1}

with half a use at the overall share :math:`\bar\theta` as prior. The word takes the bandwidth of the highest Poisson
score :math:`\sum_u c_u \log\mu_u - \mu_u` (2). Leaving out a single document instead would leave the rest of its
thread, or the other reports of its event, in: the narrowest bandwidth then always wins.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.running_sums import running_sums
from driftline.streams.unit_counts import UnitCounts

N_BANDWIDTHS = 12
"""Number of bandwidths tried."""
NARROWEST_UNITS = 2.0
"""Smallest bandwidth, in typical distances between units."""
NARROWEST_SHARE = 1 / 60
"""Smallest bandwidth, as a share of the span: about as much detail as a small drawing can show."""
WIDEST_SHARE = 1 / 5
"""Largest bandwidth, as a share of the span."""
LEAST_UNITS = 3
"""Least number of units in the window for a curve to be drawn."""
_PRIOR_USES = 0.5
_MOST_UNDRAWN = 0.05
_HOLE_SHARE = 1 / 20
_KERNEL = Kernel("triangular")


def reading_bandwidths(times: Floats, *, at_least: float = 0.0) -> Floats:
    """Return the candidates, ascending: from two units or a sixtieth of the span to a fifth of it.

    Windows that would leave more than a twentieth of the covered time undrawn are not tried (weekends without
    documents, say); `at_least` raises the smallest one further.

    >>> reading_bandwidths(np.arange(601.0)).round(1)[[0, 1, -1]]
    array([ 10. ,  12.5, 120. ])
    """
    distinct = np.unique(times)
    if len(distinct) < 2:
        return np.array([np.inf])
    span = float(distinct[-1] - distinct[0])
    gaps = np.diff(distinct)
    narrowest = max(NARROWEST_UNITS * float(np.median(gaps)), span * NARROWEST_SHARE, _drawable(distinct), at_least)
    widest = span * WIDEST_SHARE
    if narrowest >= widest:
        return np.array([narrowest])
    return np.geomspace(narrowest, widest, N_BANDWIDTHS)


def _drawable(distinct: Floats) -> float:
    """Return the smallest window that holds `LEAST_UNITS` units at both ends and nearly always, holes aside."""
    if len(distinct) <= LEAST_UNITS:
        return float(np.nextafter(distinct[-1] - distinct[0], np.inf))
    gaps = np.diff(distinct)
    inner = gaps <= max((distinct[-1] - distinct[0]) * _HOLE_SHARE, float(np.median(gaps)))
    middles = (distinct[:-1] + gaps / 2)[inner]
    after = np.searchsorted(distinct, middles)
    near = np.clip(after[:, None] + np.arange(-LEAST_UNITS, LEAST_UNITS), 0, len(distinct) - 1)
    repeated = np.concatenate([np.zeros((len(near), 1), dtype=bool), near[:, 1:] == near[:, :-1]], axis=1)
    distance = np.where(repeated, np.inf, np.abs(distinct[near] - middles[:, None]))
    reach = np.sort(distance, axis=1)[:, LEAST_UNITS - 1]
    order = np.argsort(reach)
    covered = np.cumsum(gaps[inner][order])
    place = int(np.searchsorted(covered, (1 - _MOST_UNDRAWN) * covered[-1]))
    inside = reach[order][place]
    at_ends = max(distinct[LEAST_UNITS - 1] - distinct[0], distinct[-1] - distinct[-LEAST_UNITS])
    return float(np.nextafter(max(inside, min(at_ends, 2 * inside)), np.inf))


def left_out_means(counted: UnitCounts, bandwidth: float) -> Floats:
    """Return μ of Eq. 1, units × words."""
    near = running_sums(counted.counts, counted.times, counted.times, _KERNEL, bandwidth)
    near -= counted.counts.toarray()
    around = running_sums(sp.csc_array(counted.totals[:, None]), counted.times, counted.times, _KERNEL, bandwidth)
    around -= counted.totals[:, None]
    share = np.maximum(counted.shares, np.finfo(np.float64).tiny)
    np.maximum(near, 0.0, out=near)
    near += _PRIOR_USES
    near /= np.maximum(around, 0.0) + _PRIOR_USES / share
    near *= counted.totals[:, None]
    return near


def unit_scores(counted: UnitCounts, bandwidth: float) -> Floats:
    """Return the score (Eq. 2) of every word."""
    means = left_out_means(counted, bandwidth)
    counts = counted.counts
    word = np.repeat(np.arange(counts.shape[1]), np.diff(counts.indptr))
    gained = counts.data * np.log(means[counts.indices, word])
    return np.bincount(word, weights=gained, minlength=counts.shape[1]) - means.sum(axis=0)
