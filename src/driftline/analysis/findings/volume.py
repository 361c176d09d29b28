r"""Documents per day, as a smooth rate with a band.

Documents are counted in equal bins. The rate at :math:`t` is the kernel average of the bins,
:math:`\hat\lambda_t = \sum_b A_b c_b` with :math:`A_b = K_b / \sum_b K_b d_b` and :math:`d_b` the part of the bin that
lies within the stream: the last one is rarely full. Counts are overdispersed (weekends, events), so their variance is
:math:`\varphi` times the Poisson one, with :math:`\varphi` from the residuals; with
:math:`\kappa = \varphi \sum_b A_b^2` the band is
:math:`\kappa\,\Gamma^{-1}(\{.025, .975\};\ \hat\lambda/\kappa + \tfrac12)`,
which is defined at zero counts too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaincinv

from driftline.analysis.finding import Finding
from driftline.analysis.findings.source_summary import precision
from driftline.analysis.shown_curves import no_curve, shown_curve
from driftline.core.arrays import Datetimes, Floats
from driftline.core.times import TimeAxis
from driftline.smoothing.curve import Curve
from driftline.smoothing.kernels import Kernel

if TYPE_CHECKING:
    from driftline.analysis.context import Context

LEVEL = 0.95
TIMES_BAND = 2.0
"""Multiple of its band by which a maximum must exceed the mean: it is the largest of many values."""
_DAYS = TimeAxis("datetime")
_STEPS = {"year": 365.25, "month": 365.25 / 12, "day": 1.0, "minute": 0.0}
"""Days for which a time stands that is given to the year, month, day or minute."""


def documents_per_day(times: Datetimes, when: Datetimes, *, n_bins: int = 200) -> Curve:
    """Return documents per day at the times `when`; the bandwidth is four bins, and the span has `n_bins`.

    Bins are at least as wide as the days, months or years to which all times are given: otherwise the documents of a
    year would be those of its first days, and their rate many times too high.

    >>> times = np.repeat(np.array(["2025-04-18", "2025-04-25"], "datetime64[us]"), [400, 600])
    >>> bool(documents_per_day(times, times[[0, -1]]).value.max() <= 600)
    True
    """
    days, asked = _DAYS.values(times), _DAYS.values(when)
    first, last = min(days.min(), asked.min()), max(days.max(), asked.max())
    width = max((last - first) / n_bins, 1 / 86400)
    if (last - first) > 14:
        width = max(1.0, np.ceil(width))  # whole days, so that the daily cycle does not appear as drift
    step = _STEPS[precision(times)]
    if step > width:
        width, first, last = step, first - step / 2, last + step / 2
    edges = first + width * np.arange(int(np.floor((last - first) / width)) + 2)
    counts = np.histogram(days, edges)[0].astype(np.float64)
    within = np.minimum(edges[1:], max(last, edges[-2] + 1e-3 * width)) - edges[:-1]
    middles = (edges[:-1] + edges[1:]) / 2
    weights = _averaging_weights(asked, middles, within, bandwidth=4 * width)
    rate = weights @ counts
    kappa = _dispersion(counts, middles, within, 4 * width) * (weights**2 @ within)
    tail = (1 - LEVEL) / 2
    shape = rate / kappa + 0.5
    return Curve(
        when, rate, kappa * gammaincinv(shape, tail), kappa * gammaincinv(shape, 1 - tail), rate / kappa, LEVEL
    )


def certain_peak(volume: Curve) -> int | None:
    """Return the place of the highest rate if it is above the mean by more than twice its band, otherwise None.

    The band is that of one time. If the rate is constant, the maximum of a whole curve is above the mean by more than
    the band in most streams, and seldom by more than twice the band.
    """
    if not len(volume.value) or not np.nanmax(volume.value) > 0:
        return None
    top, mean = int(np.nanargmax(volume.value)), float(np.nanmean(volume.value))
    value = volume.value[top]
    return top if value * (volume.lower[top] / value) ** TIMES_BAND > mean else None


def _averaging_weights(when: Floats, middles: Floats, within: Floats, bandwidth: float) -> Floats:
    weights = Kernel("triangular").weights(when, middles, bandwidth)
    return weights / (weights @ within)[:, None]


def _dispersion(counts: Floats, middles: Floats, within: Floats, bandwidth: float) -> float:
    """Return the variance of the counts over their mean, from residuals about the smooth rate; at least one."""
    weights = within[:, None] * _averaging_weights(middles, middles, within, bandwidth)
    expected = weights @ counts
    spare = 1 - 2 * np.diag(weights) + (weights**2).sum(axis=1)  # the share of a bin's variance in its residual
    usable = (expected > 0) & (spare > 1e-9)
    if usable.sum() < 3:
        return 1.0
    squares = (counts - expected)[usable] ** 2
    return max(1.0, float(squares.sum() / (expected * spare)[usable].sum()))


def find(context: Context) -> Curve:
    """Return the volume of the whole stream; for an empty stream it has no points."""
    if not len(context.times):
        return no_curve()
    return shown_curve(documents_per_day(context.times, context.when))


VOLUME = Finding("volume", find, position=20, since=1)
