r"""How much of a stream each topic takes up over time, with bands, and which topics rise or fall.

The share of a topic is the share of the words that it wrote, estimated from the counts and the topics
(`driftline.topics.word_shares`) and never from the posterior shares of documents, which are pulled towards the prior.
Counts are summed by unit of exchange, a day by default, and the units' local means, bands and trends are those of
`driftline.smoothing.unit_means`.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.stats import false_discovery_control

from driftline.core.arrays import Bools, Counts, Floats
from driftline.core.errors import InvalidInput
from driftline.core.times import TimeAxis
from driftline.smoothing.curve import Curve
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.reading_windows import reading_bandwidths
from driftline.smoothing.unit_means import (
    UnitSums,
    choose_bandwidths,
    trend_p_values,
    unit_means,
    unit_trends,
)
from driftline.streams.units import Units, merged_units, units_of
from driftline.topics.refits import refitted_topics
from driftline.topics.word_shares import word_shares

GRID_POINTS = 200
MOST_UNITS = 4000
"""Where there are more units, neighbours are merged: far below the finest bandwidth, so no curve changes."""
N_REFITS = 20


class TopicsOverTime(NamedTuple):
    """The shares of topics over time: arrays are topics × times, unless they have one value per topic.

    `share` with `lower` and `upper` is the curve with its band at the confidence `level`; `effective_size` is the
    number of words that count at each time. `trend` is how much the share changes from the first document to the last
    along a straight line, `p_value` the probability of such a trend without any change, and `significant` controls
    the false discoveries among all topics at 5 %. Bands and p-values take the `n_units` units of the kind `unit` as
    independent. With `uncertainty` ``"given"`` they hold given these topics, which count as known.
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
    unit: str
    n_units: int
    uncertainty: Literal["given", "topics"] = "given"
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


class _Estimate(NamedTuple):
    """Topics × times, unbounded, and topics: what refits are compared in."""

    value: Floats
    error: Floats
    quantile: Floats
    size: Floats
    supported: Bools
    trend: Floats
    trend_error: Floats


def topics_over_time(
    model: Any,
    X: Any,
    *,
    times: Any = None,
    when: Any = None,
    bandwidth: Any = "auto",
    unit: Any = "auto",
    kernel: str = "triangular",
    level: float = 0.95,
    uncertainty: Literal["given", "topics"] = "given",
    n_refits: int = N_REFITS,
    random_state: Any = 0,
) -> TopicsOverTime:
    """Return the share of every topic as a curve with a band.

    Parameters
    ----------
    model : fitted topic model, or array of shape (n_documents, n_topics)
        A model with `components_`: the share is that of the words each topic wrote. An array holds one value per
        document and topic, known exactly; documents then weigh alike.
    X : sparse or dense counts
        Documents × words; not used if an array is given.
    times : array, optional
        One per document; None means document order.
    when : array, optional
        Where the curves are wanted; by default 200 times spread over the stream.
    bandwidth : number, duration or "auto"
        The width of the window. ``"auto"`` chooses one for each topic by leaving out units.
    unit : "auto", "day", duration, "document" or array
        What counts as independent; see `driftline.streams.units.units_of`.
    kernel : str
        The shape of the window.
    level : float
        The confidence of the bands.
    uncertainty : "given" or "topics"
        ``"given"`` takes the topics as known. ``"topics"`` refits the model to `n_refits` resamples of the units, so
        that bands and p-values allow for the error in the topics too.
    n_refits : int
        How many resamples are fitted.
    random_state : int, generator or None
        The seed of the resamples.

    >>> topics = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]])
    >>> counts = np.repeat([[9, 10, 1], [1, 10, 9]], 50, axis=0)
    >>> class Known:
    ...     components_ = topics
    >>> curves = topics_over_time(Known, counts, bandwidth=20.0)
    >>> curves.share[0, [0, -1]].round(1), curves.trend.round(1), curves.significant
    (array([0.9, 0.1]), array([-1.2,  1.2]), array([ True,  True]))
    """
    if uncertainty not in ("given", "topics"):
        raise InvalidInput(f"uncertainty must be 'given' or 'topics', not {uncertainty!r}")
    exact = isinstance(model, np.ndarray)
    if exact and uncertainty == "topics":
        raise InvalidInput("uncertainty='topics' refits a model, but an array of shares was given; pass the model")
    counts = sp.csr_array(np.asarray(model, dtype=np.float64) if exact else X)
    if not counts.shape[0]:
        raise InvalidInput("there is no document to estimate topic shares from")
    if not exact and counts.shape[1] != model.components_.shape[1]:
        raise InvalidInput(
            f"the counts have {counts.shape[1]} columns but the topics {model.components_.shape[1]}; "
            f"pass the counts that the model was fitted to"
        )
    axis = TimeAxis.of(times)
    at = axis.values(times, n=counts.shape[0])
    units = merged_units(units_of(times, unit=unit, n=counts.shape[0]), MOST_UNITS)
    grid = np.linspace(at.min(), at.max(), GRID_POINTS) if when is None else axis.values(when)
    by_unit = _summed(counts, units)
    sums = _unit_sums(None if exact else model.components_, by_unit, units)
    shape = Kernel(kernel)
    candidates = _candidates(sums.times) if bandwidth == "auto" else np.array([axis.span(bandwidth)])
    widths = choose_bandwidths(sums, shape, candidates)
    found = _estimate(sums, grid, shape, widths, level)
    if uncertainty == "topics":
        refits = refitted_topics(model, counts, units, n_refits, random_state)
        drawn = (_unit_sums(refit.components, by_unit, units, refit.weight) for refit in refits)
        found = _widened(found, [_estimate(part, grid, shape, widths, level) for part in drawn])
    p_value = trend_p_values(found.trend, found.trend_error, len(sums.times))
    half = found.quantile * found.error
    known = found.supported
    mean = np.clip(sums.mean(), 0.0, 1.0)
    return TopicsOverTime(
        times=axis.restore(grid),
        share=np.where(known, np.clip(found.value, 0.0, 1.0), mean[:, None]),
        lower=np.where(known, np.clip(found.value - half, 0.0, 1.0), 0.0),
        upper=np.where(known, np.clip(found.value + half, 0.0, 1.0), 1.0),
        effective_size=found.size,
        bandwidth=widths,
        mean_share=mean,
        trend=found.trend,
        p_value=p_value,
        significant=false_discovery_control(p_value) < 0.05,
        unit=units.kind,
        n_units=units.n,
        uncertainty=uncertainty,
        level=level,
    )


def _candidates(times: Floats) -> Floats:
    """Return the bandwidths to choose from; the whole span suits a topic that does not change."""
    span = float(np.ptp(times))
    return np.append(reading_bandwidths(times), span) if span else np.array([1.0])


def _summed(counts: Counts, units: Units) -> Counts:
    """Return the counts of every unit: units × columns, and in a last column how many documents there are."""
    n = counts.shape[0]
    gather = sp.csr_array((np.ones(n), (units.index, np.arange(n))), shape=(units.n, n))
    return sp.csr_array(sp.hstack([gather @ counts, sp.csr_array(gather.sum(axis=1)[:, None])]))


def _unit_sums(components: Floats | None, by_unit: Counts, units: Units, weight: Floats | None = None) -> UnitSums:
    """Return what each topic wrote in every unit that has a word; `weight` says how often a unit counts."""
    if components is None:
        sums, size = by_unit[:, :-1].toarray(), by_unit[:, [-1]].toarray().ravel()
    else:
        sums, size = word_shares(components, by_unit[:, :-1])
    if weight is not None:
        sums, size = sums * weight[:, None], size * weight
    kept = size > 0
    if not kept.any():
        raise InvalidInput("no document has a word that a topic uses; pass the counts that the model was fitted to")
    return UnitSums(units.middle[kept], sums[kept], size[kept])


def _estimate(sums: UnitSums, grid: Floats, kernel: Kernel, widths: Floats, level: float) -> _Estimate:
    n_topics = sums.sums.shape[1]
    value, error, quantile, size = (np.empty((n_topics, len(grid))) for _ in range(4))
    supported = np.empty((n_topics, len(grid)), dtype=bool)
    for width in np.unique(widths):
        mine = np.flatnonzero(widths == width)
        means = unit_means(sums._replace(sums=sums.sums[:, mine]), grid, kernel, float(width), level)
        value[mine], error[mine], quantile[mine] = means.value.T, means.error.T, means.quantile
        size[mine], supported[mine] = means.effective_size, means.supported
    return _Estimate(value, error, quantile, size, supported, *unit_trends(sums))


def _widened(found: _Estimate, repeats: list[_Estimate]) -> _Estimate:
    """Return the estimate with the root mean squared deviation of the refits from it as its error, where larger.

    Deviations are taken from the estimate, not from the refits' own mean: a shift shared by all refits is error too.
    """
    value = np.sqrt(np.mean([(repeat.value - found.value) ** 2 for repeat in repeats], axis=0))
    trend = np.sqrt(np.mean([(repeat.trend - found.trend) ** 2 for repeat in repeats], axis=0))
    return found._replace(error=np.maximum(found.error, value), trend_error=np.maximum(found.trend_error, trend))
