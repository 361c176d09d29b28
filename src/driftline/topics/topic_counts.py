"""Expected counts of every word in every topic: the state of all LDA methods."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats

SPREADS = {50: 0.2, 200: 0.3, 1000: 1.2}
"""Initial spread of the topics (σ of the logarithm), by their number (`benchmarks/topics/start.py`).

With much less, the first epochs only separate the topics; with much more, they converge too early.
"""
STREAM_SPREADS = {50: 0.3, 200: 1.5, 1000: 3.0}
"""The same if documents are seen only once."""
_TINY_SCALE = 1e-6


def spread_of(n_topics: int, spreads: dict[int, float]) -> float:
    """Return the spread for a number of topics, between those that are given.

    >>> spread_of(10, SPREADS), round(spread_of(450, SPREADS), 2), spread_of(5000, SPREADS)
    (0.2, 0.75, 1.2)
    """
    return float(np.interp(np.log(n_topics), np.log(list(spreads)), list(spreads.values())))


def nearly_even(said: Any, n_topics: int, rng: np.random.Generator, spread: float) -> Any:
    """Return initial counts: those of every word, divided among the topics with log-normal noise; words × topics.

    >>> counts = nearly_even([8.0, 2.0], 4, np.random.default_rng(0), 0.2)
    >>> (counts / [[2.0], [0.5]]).round(1)
    array([[1.2, 0.7, 0.9, 0.8],
           [1.1, 1. , 1. , 1. ]])
    """
    said = np.asarray(said, dtype=np.float64)
    noise = rng.standard_normal((len(said), n_topics), dtype=np.float32)
    noise *= np.float32(spread)
    noise -= np.float32(spread**2 / 2)  # so that its mean is one
    np.exp(noise, out=noise)
    noise *= (said / n_topics).astype(np.float32)[:, None]
    return noise


class TopicState(NamedTuple):
    """The changing part of topic counts: the counts and their totals, both unscaled, and α and β."""

    values: Any
    totals: Any
    scale: float
    document_prior: Floats
    word_prior: float

    def fresh(self) -> TopicState:
        """Return a copy of the counts that may be written into."""
        return self._replace(
            values=current_kernels().lda_memory.pad_columns(self.values, self.values.shape[1]),
            totals=self.totals.copy(),
        )


class TopicSum(NamedTuple):
    """The sum of the counts of several samples, their number, and the priors of the last."""

    values: Any
    n: int
    document_prior: Floats
    word_prior: float

    def added(self, values: Any, document_prior: Floats, word_prior: float) -> TopicSum:
        """Add a sample, in place."""
        np.add(self.values, values, out=self.values)
        return TopicSum(self.values, self.n + 1, document_prior, word_prior)

    @property
    def mean(self) -> Any:
        """The mean counts of a sample."""
        return self.values / np.float32(self.n)


class TopicCounts:
    """Expected counts of words × topics, float32, padded for the compiled loops, with the priors.

    The true counts are ``scale * values``: discounting all counts changes one number. Seeds are initial counts that are
    never discounted.

    Parameters
    ----------
    values : float32 array of shape (n_words, width)
        The counts, padded, with the seeds; changed in place.
    n_topics : int
        Number of columns that are topics.
    document_prior : array of shape (n_topics,)
        α.
    word_prior : float
        β.
    seeds : dict of int to array, optional
        Row → counts per topic.
    """

    def __init__(
        self,
        values: Any,
        n_topics: int,
        document_prior: Floats,
        word_prior: float,
        seeds: Any = None,
        totals: Floats | None = None,
    ) -> None:
        self.n_topics = n_topics
        self.width = current_kernels().lda_memory.padded(n_topics)
        self.values = (
            values
            if current_kernels().lda_memory.has_room(values)
            else current_kernels().lda_memory.pad_columns(values, self.width)
        )
        self.scale = 1.0
        self.seeds = {
            row: current_kernels().lda_memory.pad_columns(extra, self.width) for row, extra in (seeds or {}).items()
        }
        self.set_priors(document_prior, word_prior)
        self.totals = self.values.sum(axis=0, dtype=np.float64) if totals is None else totals

    @classmethod
    def of(cls, state: TopicState, n_topics: int, seeds: Any = None) -> TopicCounts:
        """Continue from a state, in its own arrays."""
        found = cls(state.values, n_topics, state.document_prior, state.word_prior, seeds, state.totals)
        found.scale = state.scale
        return found

    def state(self) -> TopicState:
        """Return the changing state, without a copy."""
        return TopicState(self.values, self.totals, self.scale, self.document_prior, self.beta)

    def take(self, values: Any, document_prior: Floats, word_prior: float) -> None:
        """Replace counts and priors by those learned elsewhere."""
        self.values[:] = values
        self.scale = 1.0
        self.set_priors(document_prior, word_prior)
        self.settle()

    @classmethod
    def starting(cls, counts: Counts, document_prior: Floats, word_prior: float, seeds: Any = None) -> TopicCounts:
        """Start with counts of words × topics, to which the seeds are added."""
        values = current_kernels().lda_memory.pad_columns(counts, current_kernels().lda_memory.padded(counts.shape[1]))
        for row, extra in (seeds or {}).items():
            values[row, : counts.shape[1]] += extra
        return cls(values, counts.shape[1], document_prior, word_prior, seeds)

    @property
    def n_words(self) -> int:
        """The number of words."""
        return int(self.values.shape[0])

    @property
    def seed_mass(self) -> float:
        """The share of seeds in the counts."""
        return float(sum(extra.sum() for extra in self.seeds.values()))

    def set_priors(self, document_prior: Floats, word_prior: float) -> None:
        """Change α and β."""
        self.document_prior = np.asarray(document_prior, dtype=np.float64)
        self.alpha = current_kernels().lda_memory.pad_columns(self.document_prior, self.width)
        self.beta = float(word_prior)

    def inverse(self) -> Any:
        """Return 1 / (n_k + Vβ), zero in the padding."""
        result = current_kernels().lda_memory.aligned(self.width)
        result[: self.n_topics] = 1.0 / (self.totals[: self.n_topics] + self.n_words * self.beta)
        return result

    def forget(self, keep: float) -> None:
        """Keep this share of all counts, except the seeds, which are kept in full."""
        self.scale *= keep
        self.totals *= keep
        for row, extra in self.seeds.items():
            self.values[row] += extra * np.float32((1.0 - keep) / self.scale)
            self.totals += extra * (1.0 - keep)
        if self.scale < _TINY_SCALE:
            self.settle()

    def settle(self) -> None:
        """Apply the scale, and recompute the totals, which were updated by differences."""
        self.values *= np.float32(self.scale)
        self.scale = 1.0
        self.totals = self.values.sum(axis=0, dtype=np.float64)

    def grow(self, n_words: int) -> None:
        """Add rows for new words."""
        if n_words > self.n_words:
            values = current_kernels().lda_memory.aligned((n_words, self.width))
            values[: self.n_words] = self.values
            self.values = values
