"""Bursts of topics, document by document: the intensity tracker on the topic shares of the resident topics."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.intensity.tracking.intensity_tracker import IntensityTracker

N_LEVELS = 12
RATIO = 1.6
STEPS = 2
"""Number of steps above the usual level at which a topic bursts: a share between two levels is then not a burst."""
EVERY = 16
"""Number of documents between two checks of the levels; every document updates them."""
TRANSITION = 2e-4
"""Probability that the level of a topic changes between two documents."""
USUAL = 5_000.0
"""Number of documents over which the usual level and the usual share of a topic are averaged."""
RECENT = 100.0
"""Number of documents over which the recent share of a topic is averaged."""
ABSORBED = 0.5
"""Weight of a burst's documents in the usual level and share: a lasting change gradually becomes usual."""
RAISED, FALLEN = 1.5, 1.2
"""A burst begins only if the recent share is this many times the usual one, and ends below the second number."""
WARM_UP = 2_000
"""Number of documents before bursts are reported, while the topics themselves still change."""
LIVE = ("message", "predicted", "seen", "others", "decay", "matrices", "count", "clock")


class TopicBurstEvent(NamedTuple):
    """A burst of a topic that begins, continues or ends at a document, given by its place in the batch.

    `ratio` is the recent share of the topic over its usual share.
    """

    topic: int
    kind: str
    place: int
    probability: float
    ratio: float


class TopicWatch:
    """Track the share of every topic among the documents, independently of the number of documents per hour.

    The level of each topic is one of a geometric series of rates, as in `driftline.intensity`; a document counts for
    each of its topics by its share. The usual level is the most frequent recent level. A burst begins when the level is
    two steps (2.6 times) above the usual one with probability 0.9 and ends when that probability falls below 0.5.

    Levels describe how often a topic is the main topic of a document. Where documents are short and every topic has a
    share in them, levels differ far more than shares, so the mean share of recent documents must be raised, too.

    >>> watch = TopicWatch(2)
    >>> quiet = np.tile([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9]], (1500, 1))
    >>> [event.kind for event in watch.update(quiet)]
    []
    >>> [(event.topic, event.kind) for event in watch.update(np.tile([[0.02, 0.98]], (60, 1)))]
    [(1, 'begins'), (1, 'continues')]
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
        self.age: Floats = np.zeros(n_topics)
        """Number of documents over which the usual level and share of each topic were averaged."""
        self.bursting = np.zeros(n_topics, dtype=np.int64)
        self.above: Floats = np.zeros(n_topics)
        self.recent_share: Floats = np.full(n_topics, 1 / n_topics)
        self.usual_share: Floats = np.full(n_topics, 1 / n_topics)

    @property
    def ratio(self) -> Floats:
        """The recent share of each topic over its usual share."""
        found: Floats = self.recent_share / np.maximum(self.usual_share, 1e-9)
        return found

    def update(self, shares: Floats) -> list[TopicBurstEvent]:
        """Process documents in order: documents × topics shares."""
        events: list[TopicBurstEvent] = []
        lasting: dict[int, TopicBurstEvent] = {}
        evidence = np.log(np.maximum(shares, 1e-6)).astype(np.float64)
        averaged = 0
        for place, row in enumerate(evidence):
            self.n += 1
            levels = self._tracker.update(row, float(self.n)).level_proba
            if self.n % EVERY:
                continue
            self._average(shares[averaged : place + 1])
            averaged = place + 1
            self._check(levels)
            if self.n <= WARM_UP:
                continue
            ratio = self.ratio
            for topic in np.flatnonzero((self.above >= 0.9) | (self.bursting > 0)).tolist():
                event = self._event(topic, place, float(ratio[topic]))
                lasting.pop(topic, None)
                if event is not None and event.kind == "continues":
                    lasting[topic] = event  # only the last one of a batch is reported
                elif event is not None:
                    events.append(event)
        self._average(shares[averaged:])
        return events + list(lasting.values())

    def _average(self, shares: Floats) -> None:
        """Include documents in the recent shares."""
        weights = (1 - 1 / RECENT) ** np.arange(len(shares))[::-1] / RECENT
        self.recent_share = self.recent_share * (1 - 1 / RECENT) ** len(shares) + weights @ shares

    def _check(self, levels: Floats) -> None:
        """Update the usual levels and shares, and the probability of each topic to be above its usual level."""
        self.age += EVERY
        self.above = _above(levels, np.minimum(self.usual.argmax(axis=1) + STEPS - 1, N_LEVELS - 1))
        weights = EVERY / np.minimum(self.age, USUAL) * np.where(self.bursting > 0, ABSORBED, 1.0)
        self.usual += weights[:, None] * (levels - self.usual)
        self.usual_share += weights * (self.recent_share - self.usual_share)

    def _event(self, topic: int, place: int, ratio: float) -> TopicBurstEvent | None:
        above = float(self.above[topic])
        if not self.bursting[topic]:
            if above < 0.9 or ratio < RAISED:
                return None
            self.bursting[topic] = self.n
            return TopicBurstEvent(topic, "begins", place, above, ratio)
        if above >= 0.5 and ratio >= FALLEN:
            return TopicBurstEvent(topic, "continues", place, above, ratio)
        self.bursting[topic] = 0
        return TopicBurstEvent(topic, "ends", place, above, ratio)

    def tensors(self) -> dict[str, np.ndarray]:
        """Return the whole state as arrays."""
        live = {name: np.array(self._tracker._filter_[name]) for name in LIVE}
        own = {"n": np.array([self.n]), "usual": self.usual.copy(), "bursting": self.bursting.copy()}
        own |= {name: np.array(getattr(self, name)) for name in ("age", "above", "recent_share", "usual_share")}
        return {**live, **own}

    @classmethod
    def of_tensors(cls, tensors: dict[str, np.ndarray]) -> TopicWatch:
        """Continue from the state that `tensors` returned."""
        found = cls(len(tensors["bursting"]))
        for name in LIVE:
            found._tracker._filter_[name][...] = tensors[name]
        found.n = int(tensors["n"][0])
        found.usual, found.bursting = tensors["usual"].copy(), tensors["bursting"].copy()
        found.above = tensors["above"].copy()
        if "age" in tensors:
            found.age, found.usual_share = tensors["age"].copy(), tensors["usual_share"].copy()
            found.recent_share = tensors["recent_share"].copy()
        else:  # saved by an earlier version
            found.age += found.n
            found.recent_share = tensors["intensity"] / tensors["intensity"].sum()
            found.usual_share = found.recent_share.copy()
        return found

    def continue_topic(self, topic: int, other: TopicWatch, place: int) -> None:
        """Give a topic the usual level, the shares and the burst of a topic of another watch."""
        for name in ("age", "usual", "usual_share", "recent_share", "above", "bursting"):
            getattr(self, name)[topic] = getattr(other, name)[place]


def _above(levels: Floats, bounds: Ints) -> Floats:
    """Return the probability that each topic is above a level."""
    reached = np.cumsum(levels, axis=1)
    found: Floats = 1 - reached[np.arange(len(bounds)), bounds]
    return found
