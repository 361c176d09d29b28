"""Kleinberg's automaton: nested bursts in one series, found exactly."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesSeries
from driftline.base.sklearn_private import Constraints, Interval, fit_context
from driftline.base.state_layout import TIME_AXIS, Array, Layout, Number, Table
from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.times import TimeAxis
from driftline.intensity.bursts.burst_table import burst_table

HIGHEST_LEVEL = 32_000


class BurstAutomaton(TakesSeries, DriftEstimator):
    r"""Find nested bursts in a series of arrival times, or in batches of which some documents are relevant.

    State :math:`i` emits gaps with rate :math:`\alpha_i = s^i / \bar g` (1), where :math:`\bar g` is the mean gap; a
    transition up by one state costs :math:`\gamma \ln n` (2), transitions down are free, and the automaton starts in
    state 0. With ``totals``, batch :math:`t` has :math:`r_t` relevant documents of :math:`d_t`, and state :math:`i`
    makes each of them relevant with probability :math:`p_i = s^i R / D` (3). The number of states is unbounded in the
    model; those above the first whose rate exceeds that of the shortest gap (or the largest share) cannot lie on a
    cheapest path and are omitted. The cheapest path is found exactly, by the Viterbi algorithm with running minima, in
    time O(steps · states).

    Documents with the same time stamp are spread evenly over one tick of the clock: the smallest gap that is not zero.

    Parameters
    ----------
    scaling : the factor s > 1 between the rates of neighbouring states.
    gamma : the cost of a transition up by one state, in units of ln n; with 0 the path follows every gap.
    max_level : the highest state allowed; None for no limit.

    Attributes
    ----------
    bursts_ : Arrow table with a row for each burst, in the order in which they begin, outer before inner. A burst of
    level j is a maximal interval in states ≥ j; `weight` is the gain in log-likelihood (in nats) of level j over level
    j - 1, `n_events` its number of documents, `parent` the row of the burst of level j - 1 around it.
        For gaps, `start` and `end` are the times of the first and last document; for batches `end` is the beginning
        of the batch after the last one.
    states_ : the state of each gap (between consecutive documents in time order) or batch.
    rates_ : the rate (or probability) of each state.
    cost_ : the cost of the cheapest path.

    >>> automaton = BurstAutomaton().fit([0, 10, 20, 21, 22, 23, 24, 25, 26, 36, 46])
    >>> automaton.bursts_.select(["start", "end", "level"]).to_pylist()
    [{'start': 20.0, 'end': 26.0, 'level': 1}]
    >>> counts, totals = [1, 0, 9, 8, 1, 0], [20] * 6
    >>> automaton.fit(counts, totals=totals, times=range(6)).bursts_.select(["start", "end", "level"]).to_pylist()
    [{'start': 2.0, 'end': 4.0, 'level': 1}]
    """

    _timed: ClassVar[str] = "batches"
    _state_layout: ClassVar[Layout | None] = {
        **TIME_AXIS,
        "states_": Array("steps", kind="i", below="rates"),
        "rates_": Array("rates", least=0),
        "cost_": Number(),
        "bursts_": Table(("start", "end", "level", "weight")),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        "scaling": [Interval(Real, 1, None, closed="neither")],
        "gamma": [Interval(Real, 0, None, closed="left")],
        "max_level": [Interval(Integral, 1, HIGHEST_LEVEL, closed="both"), None],
    }

    def __init__(self, scaling: float = 2.0, gamma: float = 1.0, max_level: int | None = None) -> None:
        self.scaling = scaling
        self.gamma = gamma
        self.max_level = max_level

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Matrix, y: None = None, *, totals: npt.ArrayLike | None = None, times: Times = None
    ) -> BurstAutomaton:
        """Find the bursts.

        Without `totals`, X contains arrival times, in any order. With `totals`, X contains the number of relevant
        documents of each batch, `totals` the number of all its documents, and `times` when it begins (None: 0, 1, 2,
        …).
        """
        if totals is None:
            if times is not None:
                raise InvalidInput("times= belongs to batches; for arrival times pass them as X, without times=")
            return self._fit_gaps(X)
        return self._fit_batches(X, totals, times)

    def _fit_gaps(self, X: object) -> BurstAutomaton:
        n = len(X) if hasattr(X, "__len__") else np.asarray(X).size
        moments = np.sort(self._check_times(_flat(X), n, reset=True))
        gaps = _gaps(moments)
        n_gaps = len(gaps)
        mean = float(gaps.mean()) if n_gaps else 0.0
        if mean <= 0:
            return self._keep(np.ones(n_gaps), np.zeros(n_gaps), np.zeros(1), np.zeros(1), np.ones(1), moments)
        # Work in units of the mean gap, so that no unit of time can overflow; Eq. 1
        shortest = max(float(gaps.min()) / mean, np.finfo(np.float64).tiny)
        rungs = np.ceil(-np.log(shortest) / np.log(self.scaling) - 1e-12) if shortest < 1 else 0
        top = int(min(rungs, HIGHEST_LEVEL))
        rates = np.float64(self.scaling) ** np.arange(min(top, self.max_level or HIGHEST_LEVEL) + 1)
        self._keep(np.ones(n_gaps), gaps / mean, -np.log(rates), rates, rates / mean, moments)
        self.cost_ += n_gaps * np.log(mean)
        return self

    def _fit_batches(self, X: Matrix, totals: npt.ArrayLike, times: Times) -> BurstAutomaton:
        relevant, total = np.asarray(_flat(X), dtype=np.float64), np.asarray(totals, dtype=np.float64)
        if relevant.ndim != 1 or relevant.shape != total.shape:
            raise InvalidInput(
                f"relevant documents have the shape {relevant.shape} and totals {total.shape}; pass one "
                f"of each per batch"
            )
        wrong = ~((relevant >= 0) & (relevant <= total) & np.isfinite(total))
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            raise InvalidInput(
                f"batch {at} has {relevant[at]:g} relevant documents of {total[at]:g}; "
                f"pass counts, with 0 ≤ relevant ≤ total"
            )
        begin = self._check_times(times, len(total), reset=True)
        order = np.argsort(begin, kind="stable")
        begin, relevant, total = begin[order], relevant[order], total[order]
        width = float(np.median(np.diff(begin))) if len(begin) > 1 else 1.0
        edges = np.append(begin, begin[-1] + width if len(begin) else 0.0)
        base = float(relevant.sum() / total.sum()) if total.sum() else 0.0
        n_states = 1
        if 0 < base < 1:
            shares = np.divide(relevant, total, out=np.zeros_like(total), where=total > 0)
            n_states = current_kernels().burst.batch_levels(
                base, self.scaling, shares.max(), self.max_level or HIGHEST_LEVEL
            )
        if n_states == 1:
            return self._keep(relevant, total - relevant, np.zeros(1), np.zeros(1), np.array([base]), edges, True)
        event_cost, exposure_cost = current_kernels().burst.batch_costs(base, self.scaling, n_states)
        rates = base * np.float64(self.scaling) ** np.arange(n_states)
        return self._keep(relevant, total - relevant, event_cost, exposure_cost, rates, edges, True)

    def _keep(
        self,
        events: Floats,
        exposure: Floats,
        event_cost: Floats,
        exposure_cost: Floats,
        rates: Floats,
        edges: Floats,
        in_batches: bool = False,
    ) -> BurstAutomaton:
        """Find the cheapest path and store it; step t lies between ``edges[t]`` and ``edges[t + 1]``."""
        path = np.zeros(len(events), dtype=np.int16)
        climb_cost = self.gamma * np.log(max(len(events), 1))
        self.cost_ = float(
            current_kernels().burst.cheapest_path(events, exposure, event_cost, exposure_cost, climb_cost, path)
        )
        self.states_ = path.astype(np.int64)
        self.rates_ = rates
        first, last, level, parent = current_kernels().burst.nested_bursts(path)
        weight, inside = current_kernels().burst.burst_weights(
            first, last, level, events, exposure, event_cost, exposure_cost
        )
        n_events = inside.astype(np.int64) + (0 if in_batches else 1)
        self.bursts_ = burst_table(
            TimeAxis(self.time_axis_kind_),
            start=edges[first],
            end=edges[last + 1],
            level=level,
            weight=weight,
            parent=parent,
            after={"n_events": n_events},
        )
        return self


def _flat(X: Any) -> Any:
    """Return X unchanged, or its only column."""
    return X[:, 0] if getattr(X, "ndim", 1) == 2 and X.shape[1] == 1 else X


def _gaps(moments: Floats) -> Floats:
    """Return the gaps between sorted times, ties spread evenly over one tick: the smallest gap that is not zero."""
    gaps = np.diff(moments)
    if not (gaps > 0).any():
        return gaps
    tick = gaps[gaps > 0].min()
    _, group, size = np.unique(moments, return_inverse=True, return_counts=True)
    first = np.cumsum(size) - size
    spread = tick * (np.arange(len(moments)) - first[group]) / size[group]
    found: Floats = gaps + np.diff(spread)
    return found
