r"""Shares of topics over time, with bands, and tests of rising and falling trends.

The share of a topic is the share of the words that it generated, estimated from the counts and the topics
(`driftline.topics.word_shares`) and never from the posterior shares of documents, which are shrunk towards the prior.
Counts are summed by unit of exchange, a day by default, and the units' local means, bands and trends are those of
`driftline.smoothing.unit_means`.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.stats import false_discovery_control
from scipy.stats import t as student

from driftline.base.checked_matrices import checked_counts
from driftline.core.arrays import Bools, Counts, Floats, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.pictures import MOST_PANELS, Curves, Picture, Series
from driftline.core.randomness import Seed
from driftline.core.results import Columns, Result, counted, long_columns, time_range
from driftline.core.times import Duration, TimeAxis, note_missing_times
from driftline.smoothing.curve import Curve
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.reading_windows import drawn, reading_bandwidths
from driftline.smoothing.unit_means import UnitSums, choose_bandwidths, unit_means
from driftline.smoothing.unit_trends import two_sided_p_values, unit_changes, unit_trends
from driftline.streams.exchange import exchange_units
from driftline.streams.moments import exact_times
from driftline.streams.units import Units, merged_units, units_on_axis
from driftline.topics.fitted_counts import counts_for
from driftline.topics.resampled_refits import refitted_topics
from driftline.topics.word_shares import word_shares

CALLER = "topics_over_time"
GRID_POINTS = 200
MOST_UNITS = 4000
"""Maximum number of units; above it, neighbours are merged into groups far shorter than the finest bandwidth."""
N_REFITS = 20


class _TopicsOverTimeFields(NamedTuple):
    """The fields of `TopicsOverTime`."""

    times: np.ndarray
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
    trend_error: Floats | float = np.inf
    n_units_tested: int = 0


class TopicsOverTime(Result, _TopicsOverTimeFields):
    """The shares of topics over time: arrays are topics × times, unless they have one value per topic.

    `share` with `lower` and `upper` is the curve with its band at the confidence `level`; `effective_size` is the
    effective number of words at each time. All are NaN where fewer than three units lie in the window. `trend` is the
    linear change of the share over the time span of the documents (`smoothing/unit_trends.py`), from -1 to 1,
    `trend_error` its standard error (from the `n_units_tested` units of exchange), `p_value` the probability of such a
    trend with whole units (days) in random order, and `significant` controls the false discovery rate among all topics
    at 5 %. Bands treat the `n_units` units of the kind `unit` as independent. With `uncertainty` ``"given"``, all of
    this is conditional on these topics.
    """

    __slots__ = ()

    @property
    def trend_interval(self) -> tuple[Floats, Floats]:
        """The lower and the upper end of the confidence interval of every trend, at the same `level`."""
        half = student.ppf((1 + self.level) / 2, max(self.n_units_tested - 2, 1)) * self.trend_error
        return np.maximum(self.trend - half, -1.0), np.minimum(self.trend + half, 1.0)

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

    def _columns(self) -> Columns:
        names = {"topic": range(len(self.share))}
        return long_columns(names, self.times, share=self.share, lower=self.lower, upper=self.upper)

    def _summary(self) -> str:
        found = f"{int(self.significant.sum()):,} with a significant trend"
        units = f"{counted(self.n_units, 'unit')} ({self.unit})"
        return f"{counted(len(self.share), 'topic')}, {found}, {time_range(self.times)}, {units}"

    def _picture(self) -> Picture:
        largest = np.argsort(-self.mean_share, kind="stable")[:MOST_PANELS]
        return Curves([Series(f"topic {k}", *self.curve(k)[:4]) for k in largest.tolist()])


def topics_over_time(
    model: Any,
    X: Matrix | None,
    *,
    times: Times = None,
    when: Times = None,
    bandwidth: Duration = "auto",
    unit: Duration = "auto",
    kernel: str = "triangular",
    level: float = 0.95,
    uncertainty: Literal["given", "topics"] = "given",
    n_refits: int = N_REFITS,
    random_state: Seed = 0,
) -> TopicsOverTime:
    """Return the share of every topic as a curve with a band.

    Parameters
    ----------
    model : fitted topic model, or array of shape (n_documents, n_topics)
        A model with `components_`: the share is that of the words that each topic generated. An array contains one
        value per document and topic, known exactly; documents then have equal weights.
    X : sparse or dense counts
        Documents × words; not used if an array is given.
    times : array, optional
        One per document; None means document order.
    when : array, optional
        Times of the curves; by default 200 times spread over the stream.
    bandwidth : number, duration or "auto"
        The width of the window. ``"auto"`` selects one for each topic by leaving out units.
    unit : "auto", "day", duration, "document" or array
        The independent unit: see `driftline.streams.units.units_of` for bands, and
        `driftline.streams.exchange.exchange_units` for the test of trends, which uses whole days, whatever their
        number.
    kernel : str
        The shape of the window.
    level : float
        The confidence of the bands.
    uncertainty : "given" or "topics"
        ``"given"`` treats the topics as known. ``"topics"`` refits the model to `n_refits` resamples of the units, so
        that bands and p-values include the error in the topics.
    n_refits : int
        Number of resamples.
    random_state : int, generator or None
        The seed of permutations and resamples.

    >>> topics = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]])
    >>> counts = np.repeat([[9, 10, 1], [1, 10, 9]], 50, axis=0)
    >>> class Known:
    ...     components_ = topics
    >>> curves = topics_over_time(Known, counts, times=range(100), bandwidth=20.0)
    >>> curves.share[0, [0, -1]].round(1), curves.trend.round(1), curves.significant
    (array([0.9, 0.1]), array([-1.,  1.]), array([ True,  True]))
    """
    note_missing_times(times, CALLER)
    if uncertainty not in ("given", "topics"):
        raise InvalidInput(f"uncertainty must be 'given' or 'topics', not {uncertainty!r}")
    exact = isinstance(model, np.ndarray)
    if exact and uncertainty == "topics":
        raise InvalidInput("uncertainty='topics' refits a model, but an array of shares was given; pass the model")
    counts = sp.csr_array(checked_counts(model, CALLER)) if exact else counts_for(model, X, CALLER)
    axis = TimeAxis.of(times)
    at = axis.values(times, n=counts.shape[0])
    grid = np.linspace(at.min(), at.max(), GRID_POINTS) if when is None else axis.values(when)
    components = None if exact else model.components_
    for_bands = _ByUnit.of(counts, units_on_axis(axis, at, unit))
    for_tests = _ByUnit.of(counts, exchange_units(times, unit=unit, n=len(at)))
    sums = for_bands.written(components)
    shape = Kernel(kernel)
    candidates = _candidates(sums.times) if bandwidth == "auto" else np.array([axis.span(bandwidth)])
    widths = choose_bandwidths(sums, shape, candidates)
    curves = _curves(sums, grid, shape, widths, level)
    tested = for_tests.written(components)
    trends = unit_trends(tested, random_state=random_state)
    if uncertainty == "topics":
        refits = list(refitted_topics(model, counts, for_bands.units, n_refits, random_state))
        again = [_curves(for_bands.written(r.components, r.weight), grid, shape, widths, level) for r in refits]
        error = _deviation([repeat.value for repeat in again], curves.value)
        curves = curves._replace(error=np.fmax(curves.error, error))
        lines = [unit_changes(for_tests.written(refit.components)) for refit in refits]
        error = np.hypot(trends.error, _deviation(lines, trends.change))
        p_value = two_sided_p_values(trends.change, error, len(tested.times))
        trends = trends._replace(error=error, p_value=np.maximum(trends.p_value, p_value))
    half = curves.quantile * curves.error
    return TopicsOverTime(
        times=axis.restore(grid) if when is None else exact_times(when),
        share=np.clip(curves.value, 0.0, 1.0),
        lower=np.clip(curves.value - half, 0.0, 1.0),
        upper=np.clip(curves.value + half, 0.0, 1.0),
        effective_size=curves.size,
        bandwidth=widths,
        mean_share=np.clip(sums.mean(), 0.0, 1.0),
        trend=np.clip(trends.change, -1.0, 1.0),
        p_value=trends.p_value,
        significant=false_discovery_control(trends.p_value) < 0.05,
        unit=for_bands.units.kind,
        n_units=for_bands.units.n,
        uncertainty=uncertainty,
        level=level,
        trend_error=trends.error,
        n_units_tested=len(tested.times),
    )


class _ByUnit(NamedTuple):
    """The counts of every unit, units × columns, and the number of documents in each."""

    units: Units
    counts: Counts
    documents: Floats

    @classmethod
    def of(cls, counts: Counts, units: Units) -> _ByUnit:
        units = merged_units(units, MOST_UNITS)
        n = counts.shape[0]
        gather = sp.csr_array((np.ones(n), (units.index, np.arange(n))), shape=(units.n, n))
        return cls(units, gather @ counts, gather.sum(axis=1))

    def written(self, components: Floats | None, weight: Floats | None = None) -> UnitSums:
        """Return the words of each topic in every unit that has a word; `weight` is the weight of each unit."""
        if components is None:
            sums, size = self.counts.toarray(), self.documents
        else:
            sums, size = word_shares(components, self.counts)
        if weight is not None:
            sums, size = sums * weight[:, None], size * weight
        kept = size > 0
        if not kept.any():
            raise InvalidInput("no document has a word that a topic uses; pass the counts that the model was fitted to")
        return UnitSums(self.units.middle[kept], sums[kept], size[kept])


class _Curves(NamedTuple):
    """Curves before clipping, topics × times; NaN where too few units lie in the window."""

    value: Floats
    error: Floats
    quantile: Floats
    size: Floats


def _candidates(times: Floats) -> Floats:
    """Return the candidate bandwidths; the whole span suits a topic that does not change."""
    span = float(np.ptp(times))
    return np.append(reading_bandwidths(times), span) if span else np.array([1.0])


def _curves(sums: UnitSums, grid: Floats, kernel: Kernel, widths: Floats, level: float) -> _Curves:
    value, error, quantile, size = (np.full((len(widths), len(grid)), np.nan) for _ in range(4))
    for width in np.unique(widths):
        mine = np.flatnonzero(widths == width)
        at = np.flatnonzero(drawn(sums.times, grid, float(width)))
        means = unit_means(sums._replace(sums=sums.sums[:, mine]), grid[at], kernel, float(width), level)
        place = np.ix_(mine, at)
        value[place], error[place] = means.value.T, means.error.T
        quantile[place], size[place] = means.quantile, means.effective_size
    return _Curves(value, error, quantile, size)


def _deviation(refits: list[Floats], found: Floats) -> Floats:
    """Return the root mean squared deviation of refits from the estimate.

    Deviations are not from the mean of the refits, because a shift common to all refits is also an error.
    """
    result: Floats = np.sqrt(np.mean([(refit - found) ** 2 for refit in refits], axis=0))
    return result
