"""Bursts of topics, document by document: the intensity tracker on the topic shares of the resident topics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.intensity.tracking.intensity_tracker import IntensityTracker

N_LEVELS = 12
RATIO = 1.6
STEPS = 2
"""Steps above the usual level from which on a topic bursts: a share between two levels is then no burst."""
EVERY = 16
"""Number of documents between two looks at the levels; each document changes them."""
TRANSITION = 2e-4
"""Probability that the level of a topic changes between two documents."""
USUAL = 5_000.0
"""Number of documents over which the usual level of a topic is averaged."""
WARM_UP = 2_000
"""Number of documents after which bursts are reported: until then the topics themselves still change."""
LIVE = ("message", "predicted", "seen", "others", "decay", "matrices", "count", "clock")


class TopicBurstEvent(NamedTuple):
    """A topic whose burst begins or ends at a document (its place in the batch)."""

    topic: int
    kind: str
    place: int
    probability: float
    ratio: float


class TopicWatch:
    """Track the share of every topic among the documents, whatever their number per hour is.

    The level of each topic is one of a ladder of rates, as in `driftline.intensity`; documents count in part for each
    of their topics. The usual level is where a topic has been most, lately. A burst begins when the level is two steps
    (2.6 times) above the usual one with probability 0.9 and ends when that falls below 0.5.

    >>> watch = TopicWatch(2)
    >>> quiet = np.tile([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9]], (1500, 1))
    >>> [event.kind for event in watch.update(quiet)], [e.topic for e in watch.update(np.tile([[0.02, 0.98]], (60, 1)))]
    ([], [1])
    """

    def __init__(self, n_topics: int) -> None:
        self.n_topics = n_topics
        rungs = np.arange(N_LEVELS) - (N_LEVELS - 1) / 2
        self._tracker = IntensityTracker(
            levels=RATIO**rungs / n_topics, transition=TRANSITION, time="index", inference="ep", lag=0
        )
        self._tracker.update(np.zeros(n_topics), 0.0)
        self.n = 0
        self.usual: Floats = np.full((n_topics, N_LEVELS), 1 / N_LEVELS)
        self.bursting = np.zeros(n_topics, dtype=np.int64)
        self.above: Floats = np.zeros(n_topics)
        self.intensity: Floats = np.full(n_topics, 1 / n_topics)

    def update(self, shares: Floats) -> list[TopicBurstEvent]:
        """Process documents in order: documents × topics shares."""
        events = []
        evidence = np.log(np.maximum(shares, 1e-6)).astype(np.float64)
        for place, row in enumerate(evidence):
            self.n += 1
            found = self._tracker.update(row, float(self.n))
            if self.n % EVERY:
                continue
            weight = EVERY / min(self.n, USUAL) if self.n > EVERY else 1.0
            usual_level = self.usual.argmax(axis=1)
            above = _above(found.level_proba, np.minimum(usual_level + STEPS - 1, N_LEVELS - 1))
            # A burst does not become usual while it lasts
            rows = self.bursting == 0
            self.usual[rows] += weight * (found.level_proba[rows] - self.usual[rows])
            self.above, self.intensity = above, found.intensity
            if self.n <= WARM_UP:
                continue
            changed = np.flatnonzero(np.where(self.bursting > 0, above < 0.5, above >= 0.9))
            for topic in changed.tolist():
                kind = "ends" if self.bursting[topic] else "begins"
                self.bursting[topic] = 0 if kind == "ends" else self.n
                rungs = found.level_proba[topic] @ RATIO ** np.arange(N_LEVELS)
                ratio = float(rungs / RATIO ** usual_level[topic])
                events.append(TopicBurstEvent(topic, kind, place, float(above[topic]), ratio))
        return events

    def tensors(self) -> dict[str, np.ndarray]:
        """Return the whole state as arrays."""
        live = {name: np.array(self._tracker._filter_[name]) for name in LIVE}
        own = {"n": np.array([self.n]), "usual": self.usual.copy(), "bursting": self.bursting.copy()}
        return {**live, **own, "above": np.array(self.above), "intensity": np.array(self.intensity)}

    @classmethod
    def of_tensors(cls, tensors: dict[str, np.ndarray]) -> TopicWatch:
        """Continue from the state that `tensors` returned."""
        found = cls(len(tensors["bursting"]))
        for name in LIVE:
            found._tracker._filter_[name][...] = tensors[name]
        found.n = int(tensors["n"][0])
        found.usual, found.bursting = tensors["usual"].copy(), tensors["bursting"].copy()
        found.above, found.intensity = tensors["above"], tensors["intensity"]
        return found


def _above(levels: Floats, bounds: Ints) -> Floats:
    """Return the probability that each topic is above a level."""
    reached = np.cumsum(levels, axis=1)
    found: Floats = 1 - reached[np.arange(len(bounds)), bounds]
    return found
