"""An arriving stream: the class of each new document, and the start and end of every burst."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context, num_samples
from driftline.base.state_layout import COLUMNS, TIME_AXIS, Array, Layout, Optional, Part
from driftline.core.arrays import Floats, Labels, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.labels import codes_of, labelled_values
from driftline.core.results import Columns, Result
from driftline.core.times import Instant, Moment
from driftline.intensity.classification.intensity_classifier import IntensityClassifier
from driftline.intensity.tracking.gaps import gaps_between
from driftline.intensity.tracking.intensity_tracker import IntensityTracker

NOT_BURSTING = -np.inf
LIVE = ("message", "predicted", "seen", "others", "decay", "matrices", "count", "clock")
"""Names of the parts of the tracker's filter that change with every document."""
MOST_DOCUMENTS = 2**53


class BurstEvent(NamedTuple):
    """A burst that begins or ends: its class, start, rate, and the probability that it continues."""

    kind: str
    label: object
    since: Instant
    rate: float
    probability: float


class _WatchedDocumentFields(NamedTuple):
    """The fields of `WatchedDocument`."""

    document: int
    label: object
    probability: float
    events: tuple[BurstEvent, ...]


class WatchedDocument(Result, _WatchedDocumentFields):
    """One new document: its number, its class with its probability, and the bursts that began or ended with it."""

    __slots__ = ()

    def _columns(self) -> Columns:
        number = {"document": [self.document], "label": [self.label], "probability": [self.probability]}
        return {**number, "events": [[f"{event.kind}: {event.label}" for event in self.events]]}


class IntensityWatcher(DriftEstimator):
    """Classify documents as they arrive, and report the start and end of bursts.

    Learns from a labelled stream: a classifier (`IntensityClassifier`), the intensities of its classes
    (`IntensityTracker`), and each class's usual level. After that every document is one `update`, whose cost does not
    depend on the number of earlier ones. A burst of a class begins when its level is above the usual one with
    probability `begin`, and ends when that probability is at most `end`.

    Parameters
    ----------
    estimator : the classifier; None for logistic regression.
    n_levels, ratio : the ladder of intensities.
    transition : the probability of a level transition from one document to the next; "auto" for 2 / n after n training
    documents, so that a transition costs ln n as in `BurstAutomaton`, and false alarms are rare.
    time : as in `IntensityTracker`; "auto" is "index" if most training documents share their time with another one, as
    when only the day is known, and "gap" otherwise.
    begin, end : probabilities at which a burst begins and ends.

    Attributes
    ----------
    classifier_, tracker_ : the fitted models. classes_ : the classes.

    >>> rng = np.random.default_rng(0)
    >>> y = np.array(["war", "sport"])[(rng.random(200) < 0.9).astype(int)]
    >>> X = np.column_stack([y == "war", y == "sport"]) + rng.normal(0, 0.1, (200, 2))
    >>> watcher = IntensityWatcher(transition=0.02).fit(X, y, times=np.arange(200.0))
    >>> seen = [watcher.update([1.0, 0.0], time=200 + 0.1 * i) for i in range(12)]
    >>> seen[-1].label, [event.label for one in seen for event in one.events if event.kind == "begins"]
    ('war', ['war'])
    """

    _state_layout: ClassVar[Layout | None] = {
        **{name: Optional(held) for name, held in COLUMNS.items()},
        **TIME_AXIS,
        "classifier_": Part(IntensityClassifier, {"classes": "classes", "words": "words"}),
        "tracker_": Part(IntensityTracker, {"topics": "classes"}),
        "classes_": Array("classes", kind="any"),
        "_since_": Array("classes", finite=False),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        "estimator": "no_validation",
        "n_levels": [Interval(Integral, 1, 255, closed="both")],
        "ratio": [Interval(Real, 1, None, closed="neither")],
        "transition": [Interval(Real, 0, 1, closed="right"), StrOptions({"auto"})],
        "time": [StrOptions({"auto", "gap", "operational", "index"})],
        "begin": [Interval(Real, 0, 1, closed="both")],
        "end": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        estimator: object = None,
        n_levels: int = 8,
        ratio: float = 2.0,
        transition: float | str = "auto",
        time: str = "auto",
        begin: float = 0.9,
        end: float = 0.5,
    ) -> None:
        self.estimator = estimator
        self.n_levels = n_levels
        self.ratio = ratio
        self.transition = transition
        self.time = time
        self.begin = begin
        self.end = end

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Matrix, y: Labels, *, times: Times = None) -> IntensityWatcher:
        """Learn from a labelled stream; -1 or None marks documents without a label."""
        if self.end > self.begin:
            raise InvalidInput(
                f"the probability at which a burst ends ({self.end}) must not exceed that at which it begins "
                f"({self.begin})"
            )
        self.classifier_ = IntensityClassifier(self.estimator, methods="tracker").fit(X, y, times=times)
        self.classes_ = self.classifier_.classes_
        if hasattr(self.classifier_, "n_features_in_"):
            self.n_features_in_ = self.classifier_.n_features_in_
        moments = self._check_times(times, num_samples(X), reset=True)
        known = codes_of(*labelled_values(y, len(moments), signs=True), self.classes_)
        rungs = np.arange(self.n_levels) - (self.n_levels - 1) / 2
        mean_gap = gaps_between(np.sort(moments)).mean
        levels = np.float64(self.ratio) ** rungs / (len(self.classes_) * mean_gap)
        transition = min(1.0, 2 / len(moments)) if self.transition == "auto" else self.transition
        coarse = bool((np.diff(np.sort(moments)) == 0).mean() > 0.5) if len(moments) > 1 else False
        time = self.time if self.time != "auto" else "index" if coarse else "gap"
        self.tracker_ = IntensityTracker(levels=levels, transition=transition, time=time, inference="ep", lag=0)
        self.tracker_.fit(self.classifier_.log_likelihood(X), times=times, labels=known)
        self._since_ = np.full(len(self.classes_), NOT_BURSTING)
        return self

    def update(self, x: Matrix, time: Moment) -> WatchedDocument:
        """Process one document: a row as in `fit`, and its time."""
        check_is_fitted(self)
        row = x if hasattr(x, "tocsr") else np.atleast_2d(np.asarray(x))
        return self.advance(self.classifier_.log_likelihood(row)[0], time)

    def advance(self, log_likelihood: Floats, time: Moment) -> WatchedDocument:
        """Process one document by its `classifier_.log_likelihood`, which can be computed for many at once."""
        found = self.tracker_.update(log_likelihood, time)
        best = int(found.topic_proba.argmax())
        moment = float(self.tracker_._filter_["clock"][0])
        events = []
        for k, usual in enumerate(self.tracker_.usual_level_):
            above = float(found.level_proba[k, usual + 1 :].sum())
            bursting = self._since_[k] > NOT_BURSTING
            if not bursting and above >= self.begin:
                self._since_[k] = moment
                events.append(self._event("begins", k, float(found.intensity[k]), above))
            elif bursting and above <= self.end:
                events.append(self._event("ends", k, float(found.intensity[k]), above))
                self._since_[k] = NOT_BURSTING
        return WatchedDocument(
            found.document, self.classes_[best].item(), float(found.topic_proba[best]), tuple(events)
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags

    def _event(self, kind: str, k: int, rate: float, probability: float) -> BurstEvent:
        since = self._time_axis.restore([self._since_[k]])[0]
        return BurstEvent(kind, self.classes_[k].item(), since, rate, probability)

    def live_state(self) -> dict[str, object]:
        """Return the changing part of the state, as plain lists and numbers (for JSON); `resume` restores it."""
        check_is_fitted(self)
        state = {name: self.tracker_._filter_[name].tolist() for name in LIVE}
        return {**state, "since": [None if moment == NOT_BURSTING else moment for moment in self._since_.tolist()]}

    def resume(self, state: Mapping[str, object]) -> None:
        """Continue from a state returned by `live_state`; one that does not match the model is refused."""
        check_is_fitted(self)
        held = self.tracker_._filter_
        if state.keys() != {*LIVE, "since"}:
            raise InvalidInput(f"a live state contains {', '.join(LIVE)} and since, not {', '.join(state)}")
        found = {name: _numbers(state[name], held[name].dtype, held[name].shape, name) for name in LIVE}
        if found["count"].max() >= MOST_DOCUMENTS or any(found[name].min(initial=0) < 0 for name in LIVE[:-1]):
            raise InvalidInput("a live state contains no negative numbers, except for the clock")
        moments = [NOT_BURSTING if moment is None else moment for moment in _list(state["since"], "since")]
        since = _numbers(moments, self._since_.dtype, self._since_.shape, "since", infinite=True)
        for name in LIVE:
            held[name][...] = found[name]
        self._since_ = since


def _numbers(
    value: object, dtype: np.dtype, shape: tuple[int, ...], name: str, *, infinite: bool = False
) -> np.ndarray:
    try:
        found = np.array(value)
    except ValueError:
        found = np.zeros(0, dtype=object)
    if found.dtype.kind not in ("iu" if dtype.kind in "iu" else "iuf") or found.size != math.prod(shape):
        raise InvalidInput(f"{name!r} of a live state must be {math.prod(shape)} numbers of {dtype}")
    found = found.astype(dtype).reshape(shape)
    if np.isnan(found).any() or (not infinite and np.isinf(found).any()):
        raise InvalidInput(f"{name!r} of a live state contains a number that is not finite")
    return found


def _list(value: object, name: str) -> list[object]:
    if not isinstance(value, list):
        raise InvalidInput(f"{name!r} of a live state must be a list")
    return value
