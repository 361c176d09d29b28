r"""Simulated streams with known topics and intensities: the explicit process (EDA-IT), and two streams of the paper.

In the explicit process every topic keeps its own schedule: the time until its next document is drawn with the rate of
its present level, and is kept even if the level changes. The stream merges the schedules. In the implicit process
(IDA-IT) all due times are drawn again, with the current levels, after each document; because the exponential
distribution is memoryless, the two are identical as long as levels stay. Levels change between documents, to a
neighbour, with probability θ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.pictures import Curves, Picture, Series
from driftline.core.randomness import Seed, generator
from driftline.core.results import Columns, Result, counted, time_range


class _IntensityStreamFields(NamedTuple):
    """The fields of `IntensityStream`."""

    times: Floats
    log_likelihoods: Floats
    topics: Ints
    levels: Ints
    rates: Floats


class IntensityStream(Result, _IntensityStreamFields):
    """A stream with its truth.

    `log_likelihoods` is the output of a classifier of the given accuracy, log p(document | topic); `topics` are the
    true ones, `levels` the true level of every topic at every document (an index into `rates`).
    """

    __slots__ = ()

    def _columns(self) -> Columns:
        return {"time": self.times, "topic": self.topics}

    def _summary(self) -> str:
        n_documents, n_topics = self.levels.shape
        return f"{counted(n_documents, 'document')}, {counted(n_topics, 'topic')}, {time_range(self.times)}"

    def _picture(self) -> Picture:
        curves = self.rates[self.levels].T
        return Curves([Series(f"rate of topic {k}", self.times, rates) for k, rates in enumerate(curves)])


def simulate_intensity_stream(
    n_documents: int = 1000,
    n_topics: int = 3,
    *,
    rates: npt.ArrayLike = (0.05, 0.2, 0.8),
    transition: float = 0.02,
    accuracy: float = 0.9,
    association: Literal["explicit", "implicit"] = "explicit",
    random_state: Seed = None,
) -> IntensityStream:
    """Draw a stream from the explicit process (EDA-IT), or from the implicit one (IDA-IT).

    The text is a noisy copy of the topic: correct with probability `accuracy`, otherwise any other topic.

    >>> stream = simulate_intensity_stream(5, random_state=0)
    >>> stream.times.shape, stream.levels.shape, bool((np.diff(stream.times) >= 0).all())
    ((5,), (5, 3), True)
    """
    rates = np.sort(np.asarray(rates, dtype=np.float64))
    if not len(rates) or rates[0] <= 0 or not 0 <= transition <= 1 or not 0 < accuracy <= 1:
        raise InvalidInput("rates must be positive, transition and accuracy probabilities (accuracy not 0)")
    if association not in ("explicit", "implicit"):
        raise InvalidInput(f"association must be 'explicit' or 'implicit', not {association!r}")
    rng = generator(random_state)
    level = rng.integers(0, len(rates), n_topics)
    due = rng.exponential(1 / rates[level])
    times, topics = np.empty(n_documents), np.empty(n_documents, dtype=np.int64)
    levels = np.empty((n_documents, n_topics), dtype=np.int64)
    now = 0.0
    for t in range(n_documents):
        if t:
            steps = np.where(rng.random(n_topics) < transition, rng.choice([-1, 1], n_topics), 0)
            moved = level + steps
            level = np.where((moved >= 0) & (moved < len(rates)), moved, level)
        if association == "implicit":
            due = now + rng.exponential(1 / rates[level])
        topic = int(due.argmin())
        now = due[topic]
        due[topic] = now + rng.exponential(1 / rates[level[topic]])
        times[t], topics[t], levels[t] = now, topic, level
    return IntensityStream(times, _noisy_copy(topics, n_topics, accuracy, rng), topics, levels, rates)


def simulate_published_stream(
    name: Literal["S1", "S2"],
    random_state: Seed = None,
    *,
    plan: Sequence[tuple[int, int, int]] = ((2, 0, 1), (2, 1, 2)),
) -> IntensityStream:
    """Draw the paper's first or second synthetic stream; `rates` are the candidate levels, correct and incorrect ones.

    S1: two topics, 300 documents each, whose rates change every hundred documents; the text is correct nine times out
    of ten. The paper does not give its rates: 1/4, 1/64, 1/16 and 1/4, 1/16, 1/4 are used here (or others of the three,
    by `plan`), and the incorrect levels 1, 4 and 16 are added. The second topic ends before the first.

    S2: a document every four hours, every fourth of the second topic, so that gaps are not informative. For 30 % of the
    first topic's documents the text slightly favours the wrong topic (0.49 against 0.51), otherwise it is correct with
    probability 0.9. (The paper says "of topic 2", but its results are those of noise on the first.)
    """
    rng = generator(random_state)
    if name == "S1":
        return _first_stream(rng, np.asarray(plan))
    if name == "S2":
        return _second_stream(rng)
    raise InvalidInput(f"name must be 'S1' or 'S2', not {name!r}")


def _first_stream(rng: np.random.Generator, plan: Ints) -> IntensityStream:
    rates: Floats = np.exp2(np.arange(-6.0, 6.0, 2.0))
    gaps = rng.exponential(1 / np.repeat(rates[plan], 100, axis=1))
    arrivals: Floats = np.cumsum(gaps, axis=1)
    topics = np.repeat([0, 1], 300)
    order = np.argsort(arrivals.ravel(), kind="stable")
    times, topics = arrivals.ravel()[order], topics[order]
    # A topic's level is the one with which its next document was scheduled; after its last, the lowest
    number = np.column_stack([np.searchsorted(arrivals[k], times, side="left") for k in range(2)])
    levels = np.column_stack([np.append(np.repeat(plan[k], 100), 0)[number[:, k]] for k in range(2)])
    return IntensityStream(times, _noisy_copy(topics, 2, 0.9, rng), topics, levels, rates)


def _second_stream(rng: np.random.Generator, n: int = 400) -> IntensityStream:
    topics = (np.arange(n) % 4 == 3).astype(np.int64)
    right = np.full(n, 0.9)
    first = np.flatnonzero(topics == 0)
    right[rng.choice(first, round(0.3 * len(first)), replace=False)] = 0.49
    text = np.where(topics[:, None] == np.arange(2), right[:, None], 1 - right[:, None])
    levels = np.tile([3, 0], (n, 1))
    times: Floats = 4.0 * np.arange(n, dtype=np.float64)
    return IntensityStream(times, np.log(text), topics, levels, 1 / np.array([16.0, 12, 6, 5]))


def _noisy_copy(topics: Ints, n_topics: int, accuracy: float, rng: np.random.Generator) -> Floats:
    """Return log p(seen topic | topic) for a copy that is correct with probability `accuracy`."""
    n = len(topics)
    if n_topics == 1:
        return np.zeros((n, 1))
    other = (topics + rng.integers(1, n_topics, n)) % n_topics
    seen = np.where(rng.random(n) < accuracy, topics, other)
    wrong = max((1 - accuracy) / (n_topics - 1), 1e-12)
    return np.log(np.where(seen[:, None] == np.arange(n_topics), accuracy, wrong))
