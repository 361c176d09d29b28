r"""Regimes: the levels of a series of counts, and when it changed from one to another."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import stats

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesSeries
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import TIME_AXIS, Array, Layout, Number, Table
from driftline.core.arrays import Floats, Ints, Times
from driftline.core.errors import InvalidInput
from driftline.inference.em import EM
from driftline.inference.forward_backward import MarkovChain, best_path, sample_paths, smooth
from driftline.inference.run import run
from driftline.inference.stopping import SmallRise, Stop
from driftline.sequences.baum_welch import NO_STATES
from driftline.sequences.bounded_states import ChainSteps
from driftline.sequences.step_dispersion import Series, clustering_of, dispersions, observed_rates

MOST_REGIMES = 4
"""Maximum number of levels that "auto" considers."""
MOST_EVIDENCE = 4.0
"""c of (2): the logarithm of the largest ratio by which one step counts against a level.

A visit to another level costs 2 log(stay / (1 - stay)), 9.2 at 0.99, so that two steps never justify one.
"""
MOST_ROUNDS = 5
"""Maximum number of times that levels are found again with a larger factor of (1b)."""
LEAST_GROWTH = 1.05
"""Growth of the factor of (1b) below which levels are not found again."""
EM_STEPS = 60
PRIOR = 0.5
"""Weight of the prior of a level, in documents of a total; without totals, in counted documents, at most in steps."""
NEAR = 3
"""Maximum distance, in steps, at which a sampled path's change in the same direction confirms a change."""
N_PATHS = 1000
CHANGE_COLUMNS = ("time", "earliest", "latest", "probability")
LEVEL_COLUMNS = tuple(f"{side}{part}" for side in ("before", "after") for part in ("", "_low", "_high"))


class Regimes(TakesSeries, DriftEstimator):
    r"""Find when a series of counts, or of shares, changed from one level to another.

    The series is a hidden Markov chain over k levels, which stays at its level with a fixed probability and otherwise
    changes to any other level. Counts x are binomial given `totals` n, otherwise Poisson. Daily counts vary more than
    that even without any change, and a chain with learned transitions would interpret that as changes. The dispersion
    is therefore estimated from differences between neighbours, which changes of level hardly affect: the correlation of
    the documents of a step is the smallest :math:`\rho` for which

    .. math:: Q_q\big((x_t/n_t - x_{t-1}/n_{t-1})^2 / \mathrm{var}_\rho\big) \le Q_q(\chi^2_1)
              \quad (q = 0.5, 0.9), \qquad \phi_t = 1 + (n_t - 1) \rho

    (1), and counts and totals are divided by :math:`\phi_t`, so that a step never counts for more than :math:`1 / \rho`
    documents, whatever its number of documents; counts without totals have one :math:`\phi`, the largest ratio of these
    quantiles. An event of several steps makes neighbours alike without a change of level. If the correlation r of
    neighbouring residuals exceeds :math:`2 / \sqrt T`, :math:`\phi` is therefore multiplied by

    .. math:: (1 + r) / (1 - r)

    (1b), as much as correlations :math:`r^{|s - t|}` add to the variance of a mean of many steps, and the levels are
    found again, until the factor no longer grows. A single step, such as a day on which somebody sent one text a
    hundred times, counts against a level by at most the factor :math:`e^c`:

    .. math:: f(x_t \mid \ell) = p(x_t \mid \ell) / p(x_t \mid x_t / n_t) + e^{-c}, \quad c = 4

    (2). k minimises :math:`-2 \log L + k \log T` (3), the levels are found by EM, and the path is the most probable one
    (Viterbi).

    Parameters
    ----------
    n_regimes : int or "auto"
        The number of levels; "auto" compares 1 to 4 by (3).
    stay : float
        The probability of staying at a level from one step to the next.
    coverage : float
        Coverage of the bands of levels, and of the interval for the time of a change.

    Attributes
    ----------
    changes_ : pyarrow.Table
        A row per change: `time` (the first step of the new level), its `earliest` and `latest` time, `probability` (the
        share of 1,000 paths drawn from the posterior that change in this direction at most three steps away), and the
        level `before` and `after`, each with its band (`before_low`, `before_high`, …).
    levels_ : ndarray of shape (n_levels,), shares or counts per step, the lowest first.
    path_ : ndarray of shape (n_steps,), the level of every step, in time order.
    probabilities_ : ndarray of shape (n_steps, n_levels), p(level | series).
    dispersion_ : float, φ of (1); for shares, that of the median total.
    bic_ : ndarray, (3) of every number of levels that was compared.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> mails = rng.poisson(np.repeat([20, 50, 20], 40))
    >>> found = Regimes().fit(mails, times=range(120))
    >>> found.changes_["time"].to_pylist(), found.levels_.round().tolist()
    ([40.0, 80.0], [21.0, 52.0])
    """

    _timed: ClassVar[str] = "counts"
    _state_layout: ClassVar[Layout | None] = {
        **TIME_AXIS,
        "changes_": Table((*CHANGE_COLUMNS, *LEVEL_COLUMNS)),
        "levels_": Array("levels", kind="f8", least=0),
        "path_": Array("steps", kind="i8", below="levels"),
        "probabilities_": Array("steps", "levels", kind="f8", least=0),
        "dispersion_": Number(least=1),
        "bic_": Array(None),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        "n_regimes": [StrOptions({"auto"}), Interval(numbers.Integral, 1, None, closed="left")],
        "stay": [Interval(numbers.Real, 0.5, 1, closed="neither")],
        "coverage": [Interval(numbers.Real, 0, 1, closed="neither")],
    }

    def __init__(self, n_regimes: int | str = "auto", stay: float = 0.99, coverage: float = 0.95) -> None:
        self.n_regimes = n_regimes
        self.stay = stay
        self.coverage = coverage

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: npt.ArrayLike, y: None = None, *, totals: npt.ArrayLike | None = None, times: Times | None = None
    ) -> Regimes:
        """Find the levels of counts, one per step, of `totals` (a total of 0, or a count of NaN, is a gap)."""
        series = _series(X, totals)
        moments = self._check_times(times, len(series.values), reset=True)
        order = np.argsort(moments, kind="stable")
        moments, series = moments[order], series._replace(values=series.values[order], seen=series.seen[order])
        factors = dispersions(series)
        asked = range(1, MOST_REGIMES + 1) if self.n_regimes == "auto" else [int(self.n_regimes)]
        found = _explained(series, factors, asked, self.stay)
        for _ in range(MOST_ROUNDS):
            clustering = clustering_of(found.residuals(), series.seen)
            if clustering <= found.clustering * LEAST_GROWTH:
                break
            found = _explained(series, factors, asked, self.stay, clustering)
        scaled, logs = found.scaled, found.logs
        self.dispersion_ = float(np.median(factors[series.seen])) * found.clustering
        self.bic_ = found.bic
        self.path_ = found.path
        self.probabilities_ = smooth(found.chain, logs, len(logs)).probabilities
        unit = self.dispersion_ if series.kind == "poisson" else 1.0
        self.levels_ = found.levels * unit
        low, high = self._bands(scaled, self.probabilities_ * found.trust)
        self.changes_ = self._changes(found.chain, logs, moments, low * unit, high * unit)
        return self

    def _bands(self, scaled: Series, expected: Floats) -> tuple[Floats, Floats]:
        """Return the limits of every level: quantiles of its posterior given its expected steps."""
        weights = expected[scaled.seen]
        outside = (1 - self.coverage) / 2
        if scaled.kind == "poisson":
            hits, n = weights.T @ scaled.values[scaled.seen, 0], np.maximum(weights.sum(axis=0), 1e-9)
            return stats.gamma.ppf(outside, hits + 0.5) / n, stats.gamma.ppf(1 - outside, hits + 0.5) / n
        hits, n = (weights.T @ scaled.values[scaled.seen]).T
        sides = hits + 0.5, n - hits + 0.5
        return stats.beta.ppf(outside, *sides), stats.beta.ppf(1 - outside, *sides)

    def _changes(self, chain: MarkovChain, logs: Floats, moments: Floats, low: Floats, high: Floats) -> pa.Table:
        places = np.flatnonzero(np.diff(self.path_)) + 1
        columns: dict[str, list[float]] = {name: [] for name in (*CHANGE_COLUMNS, *LEVEL_COLUMNS)}
        drawn = sample_paths(chain, logs, len(logs), np.random.default_rng(0), N_PATHS) if len(places) else None
        for place in places.tolist():
            before, after = int(self.path_[place - 1]), int(self.path_[place])
            share, first, last = _confirmed(drawn, place, np.sign(after - before), self.coverage)
            values = [moments[place], moments[first], moments[last], share]
            values += [part[level] for level in (before, after) for part in (self.levels_, low, high)]
            for name, value in zip(columns, values):
                columns[name].append(float(value))
        axis = self._time_axis
        made = {name: pa.array(np.array(values, dtype=np.float64)) for name, values in columns.items()}
        for name in CHANGE_COLUMNS[:3]:
            made[name] = pa.array(axis.restore(np.array(columns[name], dtype=np.float64)))
        return pa.table(made)


class _Fit(NamedTuple):
    levels: Floats
    evidence: float


class _Explained(NamedTuple):
    """A series divided by its dispersion, which includes the factor `clustering` of (1b), and its best levels."""

    scaled: Series
    clustering: float
    levels: Floats
    bic: Floats
    chain: MarkovChain
    logs: Floats
    trust: Floats
    path: Ints

    def residuals(self) -> Floats:
        """Return the deviation of every step from its level, in standard deviations."""
        level = self.levels[self.path]
        if self.scaled.kind == "poisson":
            variance = level
        else:
            variance = level * (1 - level) / np.maximum(self.scaled.values[:, 1], 1e-300)
        found: Floats = (observed_rates(self.scaled) - level) / np.sqrt(np.maximum(variance, 1e-300))
        return found


def _series(X: npt.ArrayLike, totals: npt.ArrayLike | None) -> Series:
    counts = _numbers(X, "counts")
    if not len(counts):
        raise InvalidInput("the series is empty; pass a count per step")
    if totals is None:
        seen = ~np.isnan(counts)
        bad = seen & ~((counts >= 0) & np.isfinite(counts))
        values, kind = counts[:, None], "poisson"
    else:
        whole = _numbers(totals, "totals")
        if whole.shape != counts.shape:
            raise InvalidInput(f"there are {len(counts)} counts and {len(whole)} totals; pass one of each per step")
        seen = ~np.isnan(counts) & ~np.isnan(whole) & (whole != 0)
        bad = ~np.isnan(counts) & ~np.isnan(whole) & ~((counts >= 0) & (counts <= whole) & np.isfinite(whole))
        values, kind = np.stack([counts, whole], axis=1), "binomial"
    if bad.any():
        step = int(np.argmax(bad))
        shown = " of ".join(f"{value:g}" for value in values[step])
        raise InvalidInput(f"step {step} has the count {shown}; counts must be from 0 to the total")
    if not seen.any():
        raise InvalidInput("nothing was observed: every step is a gap (NaN, or a total of 0)")
    return Series(np.where(seen[:, None], values, 0.0), seen, kind)


def _numbers(given: npt.ArrayLike, name: str) -> Floats:
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{name} must be numbers, one per step ({error})") from error
    found = found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found
    if found.ndim != 1:
        raise InvalidInput(f"{name} have {found.ndim} dimensions; pass one number per step")
    return found


def _chain(k: int, stay: float) -> MarkovChain:
    matrix = np.full((k, k), (1 - stay) / max(k - 1, 1))
    np.fill_diagonal(matrix, stay if k > 1 else 1.0)
    return MarkovChain(np.full(k, 1 / k), matrix)


def _best_fit(series: Series) -> Floats:
    """Return the log-likelihood of every step at its own rate."""
    return series.emissions.log_likelihood(series.values, observed_rates(series)[:, None])


def _evidence(series: Series, best_fit: Floats, levels: Floats) -> tuple[Floats, Floats]:
    """Return log f of (2), steps × levels, and the share of f that is due to the level rather than to the bound."""
    ratio = series.emissions.log_likelihood(series.values, levels[None]) - best_fit
    bounded = np.logaddexp(ratio, -MOST_EVIDENCE)
    return np.where(series.seen[:, None], bounded, 0.0), np.exp(ratio - bounded) * series.seen[:, None]


def _explained(
    series: Series, factors: Floats, asked: Iterable[int], stay: float, clustering: float = 1.0
) -> _Explained:
    """Find the levels of a series, and its most probable path, given the dispersion of every step."""
    scaled = series._replace(values=series.values / (factors * clustering)[:, None])
    distinct = len(np.unique(observed_rates(scaled)[scaled.seen].round(12)))
    numbers, best_fit = list(asked), _best_fit(scaled)
    fits = [_fitted(scaled, best_fit, k, stay) for k in numbers if k <= max(distinct, 1)]
    if not fits:
        raise InvalidInput(f"n_regimes={numbers[0]}, but there are only {distinct} distinct values in the series")
    n = int(scaled.seen.sum())
    bic = np.array([-2 * one.evidence + len(one.levels) * np.log(max(n, 1)) for one in fits])
    levels = fits[int(bic.argmin())].levels
    chain, (logs, trust) = _chain(len(levels), stay), _evidence(scaled, best_fit, levels)
    return _Explained(scaled, clustering, levels, bic, chain, logs, trust, best_path(chain, logs, len(logs)).states)


class _Problem(NamedTuple):
    """A series whose counts were divided by their dispersion, its best fit, fixed transitions, and the mean level."""

    series: Series
    best_fit: Floats
    chain: MarkovChain
    centre: Floats


def _fitted(series: Series, best_fit: Floats, k: int, stay: float) -> _Fit:
    """Return the best levels of EM from two starts: quantiles of the series, and of its means over seven steps."""
    rates = observed_rates(series)[series.seen]
    width = min(7, len(rates))
    means = np.convolve(rates, np.ones(width) / width, mode="valid")
    centre = series.emissions.together(series.values, series.seen.astype(np.float64))
    problem, found = _Problem(series, best_fit, _chain(k, stay), centre), []
    for start in (rates, means):
        levels = np.quantile(start, (np.arange(k) + 0.5) / k) + 1e-6 * centre[0, 0] * np.arange(k)
        levels = np.clip(levels, 1e-3 * centre[0, 0], 1 - 1e-9 if series.kind == "binomial" else np.inf)
        method = EM(partial(_begin, levels), _expect, _maximise)
        levels = np.sort(run(method, problem, stop=Stop(EM_STEPS, SmallRise(1e-7)), rng=0).result)
        found.append(_Fit(levels, _expect(levels, problem)[1]))
    return max(found, key=lambda one: one.evidence)


def _begin(levels: Floats, problem: _Problem, rng: np.random.Generator) -> Floats:
    return levels


def _expect(levels: Floats, problem: _Problem, rng: np.random.Generator | None = None) -> tuple[Floats, float]:
    """Return the expected weight of every step for every level, and the log-evidence."""
    logs, trust = _evidence(problem.series, problem.best_fit, levels)
    initial, transition = problem.chain.initial, np.asarray(problem.chain.transition)
    steps = ChainSteps(logs, np.array([0, len(logs)]), NO_STATES, initial, transition)
    beliefs, _, _, evidence = steps.expect(logs)
    return beliefs * trust, float(evidence.sum())


def _maximise(expected: Floats, before: Floats, problem: _Problem) -> Floats:
    """Return the best levels; the transitions are fixed."""
    series = problem.series
    strength = PRIOR
    if series.kind == "poisson":  # half a step would outweigh the evidence, which is bounded, where counts are large
        strength /= max(float(problem.centre[0, 0]), 1.0)
    levels: Floats = series.emissions.estimate(series.values, expected, problem.centre, strength)[0]
    return levels


def _confirmed(drawn: Ints | None, place: int, direction: int, coverage: float) -> tuple[float, int, int]:
    """Return the share of paths that change in a direction near a step, and the earliest and latest of these steps."""
    if drawn is None:
        return 1.0, place, place
    first, last = max(place - NEAR, 1), min(place + NEAR, len(drawn) - 1)
    steps = np.sign(np.diff(drawn[first - 1 : last + 1], axis=0)) == direction
    confirmed = steps.any(axis=0)
    if not confirmed.any():
        return 0.0, place, place
    distance = np.abs(np.arange(first, last + 1) - place)
    nearest = np.where(steps[:, confirmed], distance[:, None], 10 * NEAR).argmin(axis=0) + first
    outside = (1 - coverage) / 2
    low, high = np.quantile(nearest, [outside, 1 - outside], method="nearest")
    return float(confirmed.mean()), int(min(low, place)), int(max(high, place))
