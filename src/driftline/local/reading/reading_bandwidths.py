r"""Prediction of each word in left-out units, by bandwidth.

For word :math:`w` and unit :math:`u` (a day, say) with :math:`c_u` of :math:`n_u` documents, the share predicted
without the unit is

.. math:: \hat\theta_{-u} = \frac{\sum_{v \ne u} K_h(t_u - t_v)\,c_v + \tfrac12}
                               {\sum_{v \ne u} K_h(t_u - t_v)\,n_v + \tfrac12 / \bar\theta},
          \qquad \mu_u = n_u \hat\theta_{-u}                                                              \tag{1}

with half a use at the overall share :math:`\bar\theta` as prior. The bandwidth of the word maximises the Poisson score
:math:`\sum_u c_u \log\mu_u - \mu_u` (2). Leaving out single documents instead would keep the rest of the thread, or
other reports of the event: the narrowest bandwidth would then always win.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Floats
from driftline.core.errors import InvalidInput
from driftline.core.times import Duration
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.reading_windows import reading_bandwidths
from driftline.smoothing.running_sums import running_sums
from driftline.streams.unit_counts import UnitCounts

_PRIOR_USES = 0.5
_KERNEL = Kernel("triangular")


def resolved_bandwidths(counted: UnitCounts, bandwidth: Duration, at_least: Duration = 0.0) -> Floats:
    """Return the candidate bandwidths: a grid for ``"auto"``, otherwise the one given."""
    if isinstance(bandwidth, str) and bandwidth == "auto":
        return reading_bandwidths(counted.times, at_least=counted.axis.span(at_least))
    length = counted.axis.span(bandwidth)
    if not length > 0:
        raise InvalidInput(f"a bandwidth must be positive, not {bandwidth!r}; pass 'auto' to select it")
    return np.array([length])


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
    found: Floats = np.bincount(word, weights=gained, minlength=counts.shape[1]) - means.sum(axis=0)
    return found
