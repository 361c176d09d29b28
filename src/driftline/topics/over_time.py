r"""How much of a stream each topic takes up over time, with bands, and which topics rise or fall.

Every document d has topic shares :math:`\theta_{dk}`. The share of topic k at t is the local mean
:math:`\hat s_k(t) = \sum_d K_h(t - t_d)\,\theta_{dk} / \sum_d K_h(t - t_d)`, corrected for its leading bias, and
its band is the gamma band of `driftline.smoothing.bands` with the variance that documents show around it:
:math:`\kappa_k = \sum_d A_d^2\, v_k / \bar s_k` with :math:`v_k` the mean squared difference between a document and the
mean of the others around it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.stats import false_discovery_control

from driftline.core.arrays import Bools, Floats
from driftline.core.errors import InvalidInput
from driftline.core.progress import track
from driftline.core.times import TimeAxis
from driftline.smoothing.bands import band_terms, corrected_shares, gamma_band
from driftline.smoothing.bandwidths import bandwidth_grid
from driftline.smoothing.curve import Curve
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.running_sums import running_sums
from driftline.smoothing.unit_trends import trend_p_values
from driftline.streams.exchange import exchange_units

GRID_POINTS = 200
BANDWIDTHS = 20
MOST_TIMES = 8_000
"""Where there are more distinct times, those within as small a part of the span count as one. It is a quarter of the
finest bandwidth that is tried; a given one that is finer finds all times distinct."""
LEAST_OTHERS = 1e-6
"""A document with fewer others around it is compared with all of them: there rounding would be all that is left."""


class TopicsOverTime(NamedTuple):
    """The shares of topics over time: arrays are topics × times, unless they have one value per topic.

    `share` with `lower` and `upper` is the curve with its band at the confidence `level`; `effective_size` is the
    number of documents that speak. `trend` is how much the share changes from the first document to the last along a
    straight line, `p_value` says how surprising that would be if whole units (days) stood in random order, and
    `significant` controls the false discoveries among all topics at 5 %.
    """

    times: Any
    share: Floats
    lower: Floats
    upper: Floats
    effective_size: Floats
    bandwidth: Floats
    mean_share: Floats
    trend: Floats
    p_value: Floats
    significant: Bools
    level: float = 0.95

    def curve(self, topic: int) -> Curve:
        """Return one topic as a curve."""
        return Curve(
            self.times,
            self.share[topic],
            self.lower[topic],
            self.upper[topic],
            self.effective_size[topic],
            self.level,
        )


def topics_over_time(
    model: Any,
    X: Any,
    *,
    times: Any = None,
    when: Any = None,
    bandwidth: Any = "cv",
    kernel: str = "triangular",
    level: float = 0.95,
    unit: Any = "auto",
) -> TopicsOverTime:
    """Return the share of every topic as a curve with a band.

    Parameters
    ----------
    model : fitted topic model, or array of shape (n_documents, n_topics)
        Whose `transform` gives the topic shares of documents, or these shares.
    X : sparse or dense counts
        Documents × words; not used if shares are given.
    times : array, optional
        One per document; None means document order.
    when : array, optional
        Where the curves are wanted; by default 200 times spread over the stream.
    bandwidth : number, duration or "cv"
        The width of the window. ``"cv"`` chooses one for each topic by leaving documents out.
    kernel : str
        The shape of the window.
    level : float
        The confidence of the bands.
    unit : "auto", "day", a duration, "document", or one group per document
        What is exchanged in the test of trends, see `driftline.streams.exchange.exchange_units`.

    >>> shares = np.repeat([[0.9, 0.1], [0.1, 0.9]], 50, axis=0)
    >>> curves = topics_over_time(shares, None, bandwidth=20.0)
    >>> curves.share[0, [0, -1]].round(1), curves.trend.round(1), curves.significant
    (array([0.9, 0.1]), array([-1.2,  1.2]), array([ True,  True]))
    """
    shares = np.asarray(model if isinstance(model, np.ndarray) else model.transform(X), dtype=np.float64)
    if not len(shares):
        raise InvalidInput("there is no document to draw topics from")
    axis = TimeAxis.of(times)
    at = axis.values(times, n=len(shares))
    grid = np.linspace(at.min(), at.max(), GRID_POINTS) if when is None else axis.values(when)
    given = None if bandwidth == "cv" else axis.span(bandwidth)
    grouped = _Grouped.of(shares, at, given)
    shape = Kernel(kernel)
    widths, errors = _widths(grouped, shape, given)
    mean = shares.mean(axis=0)
    result = [np.empty((shares.shape[1], len(grid))) for _ in range(4)]
    for width in np.unique(widths):
        mine = np.flatnonzero(widths == width)
        terms = band_terms(grouped.times, grouped.documents, np.zeros(len(grouped.times)), grid, shape, float(width))
        counts = sp.csc_array(grouped.sums[:, mine])
        estimate = corrected_shares(counts, grouped.times, grid, shape, float(width), terms)
        estimate = np.clip(estimate, 0.0, 1.0)
        kappa = terms.single[:, None] * (errors[mine] / np.maximum(mean[mine], np.finfo(np.float64).tiny))
        lower, upper = gamma_band(estimate, kappa, level)
        lower[~terms.supported], upper[~terms.supported] = 0.0, 1.0
        estimate[~terms.supported] = mean[mine]
        size = np.broadcast_to(terms.effective_size[:, None], estimate.shape)
        for out, values in zip(result, (estimate, lower, upper, size)):
            out[mine] = values.T
    trend = _slopes(shares, at)
    units = exchange_units(times, unit=unit, n=len(shares))
    p_value = trend_p_values(shares, units.index, units.middle)
    significant = false_discovery_control(p_value) < 0.05
    share, lower, upper, size = result
    return TopicsOverTime(
        axis.restore(grid), share, lower, upper, size, widths, mean, trend, p_value, significant, level
    )


class _Grouped(NamedTuple):
    """Documents by time: the sums of their shares and of these squared, and their number."""

    times: Floats
    sums: Floats
    squares: Floats
    documents: Floats

    @classmethod
    def of(cls, shares: Floats, at: Floats, given: float | None) -> _Grouped:
        times, index = np.unique(at, return_inverse=True)
        part = np.ptp(times) / MOST_TIMES
        if len(times) > MOST_TIMES and (given is None or given >= 4 * part):
            index = np.unique(np.floor((at - times[0]) / part), return_inverse=True)[1]
            times = np.bincount(index, at) / np.bincount(index)
        return cls(times, _summed(shares, index), _summed(shares**2, index), np.bincount(index).astype(np.float64))


def _summed(values: Floats, index: Any) -> Floats:
    """Return the sums of the rows that have the same index."""
    n = len(index)
    return sp.csr_array((np.ones(n), (index, np.arange(n))), shape=(index.max() + 1, n)) @ values


def _widths(grouped: _Grouped, kernel: Kernel, given: float | None) -> tuple[Floats, Floats]:
    r"""Return the bandwidth of every topic, and its mean squared error when each document is left out.

    With A the sum of shares around a time and n the number of documents there, the m documents of that time, left out
    one by one, are wrong by :math:`\sum_d (\theta_d - (A - \theta_d) / (n - 1))^2 =
    (n^2 \sum_d \theta_d^2 - 2 n A \sum_d \theta_d + m A^2) / (n - 1)^2`.
    """
    candidates = bandwidth_grid(grouped.times, BANDWIDTHS) if given is None else np.array([given])
    candidates = np.where(np.isinf(candidates), 1e6 * max(np.ptp(grouped.times), 1.0), candidates)
    sums, squares, m = grouped.sums, grouped.squares, grouped.documents[:, None]
    errors = np.empty((len(candidates), sums.shape[1]))
    both = sp.csc_array(np.column_stack([sums, m]))
    overall = sums.sum(axis=0) / m.sum()
    alone = squares - 2 * overall * sums + m * overall**2
    for i, width in enumerate(track(candidates, "choosing bandwidths", total=len(candidates))):
        around = running_sums(both, grouped.times, grouped.times, kernel, float(width))
        A, n = around[:, :-1], around[:, -1:]
        others = np.maximum(n - 1.0, LEAST_OTHERS)
        wrong = (n**2 * squares - 2 * n * A * sums + m * A**2) / others**2
        errors[i] = np.where(others > LEAST_OTHERS, wrong, alone).sum(axis=0).clip(0.0) / m.sum()
    # Among equals the widest wins: then a topic that does not move has a calm curve.
    best = len(candidates) - 1 - np.argmin(errors[::-1], axis=0)
    return candidates[best], errors[best, np.arange(len(best))]


def _slopes(shares: Floats, at: Floats) -> Floats:
    """Return the change along a straight line over the whole span."""
    span = float(np.ptp(at))
    if not span:
        return np.zeros(shares.shape[1])
    x = (at - at.mean()) / span
    return x @ shares / float(x @ x)
