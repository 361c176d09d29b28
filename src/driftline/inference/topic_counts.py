"""Expected counts of every word in every topic: the state of all LDA methods."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats
from driftline.inference.word_maps import mapped_counts, mapped_rows
from driftline.inference.word_rules import NO_RULES, WordRules

SPREADS = {50: 0.2, 200: 0.3, 1000: 1.2}
"""Initial spread of the topics (σ of the logarithm), by their number (`benchmarks/topics/start.py`).

With much less, the first epochs only separate the topics; with much more, they converge too early.
"""
STREAM_SPREADS = {50: 0.3, 200: 1.5, 1000: 3.0}
"""Initial spread if documents are processed only once."""
_TINY_SCALE = 1e-6


def spread_of(n_topics: int, spreads: dict[int, float]) -> float:
    """Return the spread for a number of topics, interpolated between the given ones.

    >>> spread_of(10, SPREADS), round(spread_of(450, SPREADS), 2), spread_of(5000, SPREADS)
    (0.2, 0.75, 1.2)
    """
    return float(np.interp(np.log(n_topics), np.log(list(spreads)), list(spreads.values())))


def nearly_even(said: np.ndarray, n_topics: int, rng: np.random.Generator, spread: float) -> np.ndarray:
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

    values: np.ndarray
    totals: np.ndarray
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

    values: np.ndarray
    n: int
    document_prior: Floats
    word_prior: float

    def added(self, values: np.ndarray, document_prior: Floats, word_prior: float) -> TopicSum:
        """Add a sample, in place."""
        np.add(self.values, values, out=self.values)
        return TopicSum(self.values, self.n + 1, document_prior, word_prior)

    @property
    def mean(self) -> np.ndarray:
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
    totals : array of shape (width,), optional
        The sums of the columns of `values`, if they are known.
    rules : WordRules
        Words that are excluded from topics, belong together, or never share a topic.
    """

    def __init__(
        self,
        values: np.ndarray,
        n_topics: int,
        document_prior: Floats,
        word_prior: float,
        seeds: dict[int, Floats] | None = None,
        totals: Floats | None = None,
        rules: WordRules = NO_RULES,
    ) -> None:
        self.n_topics = n_topics
        self.width = current_kernels().lda_memory.padded(n_topics)
        self.values = (
            values
            if current_kernels().lda_memory.has_room(values)
            else current_kernels().lda_memory.pad_columns(values, self.width)
        )
        self.scale = 1.0
        self.seeds, self.rules = dict(seeds or {}), rules
        self._seed_rows = np.array(list(self.seeds), dtype=np.int64)
        self._seed_counts = np.zeros((len(self.seeds), self.width), dtype=np.float32)
        for i, extra in enumerate(self.seeds.values()):
            self._seed_counts[i, : len(extra)] = extra
        self.set_priors(document_prior, word_prior)
        self.totals = self.values.sum(axis=0, dtype=np.float64) if totals is None else totals
        self._exclude()

    @classmethod
    def of(
        cls, state: TopicState, n_topics: int, seeds: dict[int, Floats] | None = None, rules: WordRules = NO_RULES
    ) -> TopicCounts:
        """Continue from a state, in its own arrays."""
        found = cls(state.values, n_topics, state.document_prior, state.word_prior, seeds, state.totals)
        found.scale, found.rules = state.scale, rules
        return found

    def state(self) -> TopicState:
        """Return the changing state, without a copy."""
        return TopicState(self.values, self.totals, self.scale, self.document_prior, self.beta)

    def take(self, values: np.ndarray, document_prior: Floats, word_prior: float) -> None:
        """Replace counts and priors by those learned elsewhere."""
        self.values[:] = values
        self.scale = 1.0
        self.set_priors(document_prior, word_prior)
        self.settle()

    @classmethod
    def starting(
        cls,
        counts: Counts,
        document_prior: Floats,
        word_prior: float,
        seeds: dict[int, Floats] | None = None,
        rules: WordRules = NO_RULES,
    ) -> TopicCounts:
        """Start with counts of words × topics, to which the seeds are added."""
        values = current_kernels().lda_memory.pad_columns(counts, current_kernels().lda_memory.padded(counts.shape[1]))
        for row, extra in (seeds or {}).items():
            values[row, : counts.shape[1]] += extra
        return cls(values, counts.shape[1], document_prior, word_prior, seeds, rules=rules)

    @property
    def n_words(self) -> int:
        """The number of words."""
        return int(self.values.shape[0])

    @property
    def seed_mass(self) -> float:
        """The sum of the seeds, a part of the counts."""
        return float(self._seed_counts.sum(axis=1).sum(dtype=np.float64))

    def set_priors(self, document_prior: Floats, word_prior: float) -> None:
        """Change α and β."""
        self.document_prior = np.asarray(document_prior, dtype=np.float64)
        self.alpha = current_kernels().lda_memory.pad_columns(self.document_prior, self.width)
        self.beta = float(word_prior)

    def inverse(self) -> np.ndarray:
        """Return 1 / (n_k + Vβ), zero in the padding."""
        result: np.ndarray = current_kernels().lda_memory.aligned(self.width)
        result[: self.n_topics] = 1.0 / (self.totals[: self.n_topics] + self.n_words * self.beta)
        return result

    def forget(self, keep: float) -> None:
        """Keep this share of all counts, except the seeds, which are kept in full."""
        self.scale *= keep
        self.totals *= keep
        if len(self._seed_rows):
            self.values[self._seed_rows] += self._seed_counts * np.float32((1.0 - keep) / self.scale)
            self.totals += (self._seed_counts * (1.0 - keep)).sum(axis=0, dtype=np.float64)
        self._exclude()
        if self.scale < _TINY_SCALE:
            self.settle()

    def settle(self) -> None:
        """Apply the scale, and recompute the totals, which were updated by differences."""
        self.values *= np.float32(self.scale)
        self.scale = 1.0
        self._exclude()
        self.totals = self.values.sum(axis=0, dtype=np.float64)

    @contextmanager
    def as_seen(self) -> Iterator[None]:
        """Use mapped counts of words that belong together or apart within the block; then restore the original ones."""
        groups = self.rules.groups
        if groups is None:
            yield
            return
        rows, k = mapped_rows(groups), self.n_topics
        counts = np.maximum(self.values[rows, :k].astype(np.float64) * self.scale, 0.0)
        change = mapped_counts(counts, groups) - counts
        self.values[rows, :k] += (change / self.scale).astype(np.float32)
        self.totals[:k] += change.sum(axis=0)
        self._exclude()
        try:
            yield
        finally:
            self.values[rows, :k] -= (change / self.scale).astype(np.float32)
            self.values[rows, :k] = np.maximum(self.values[rows, :k], 0.0)
            self.totals[:k] -= change.sum(axis=0)
            self._exclude()

    def map_groups(self) -> None:
        """Replace the counts of words that belong together or apart by their mapped counts."""
        groups = self.rules.groups
        if groups is not None:
            rows, k = mapped_rows(groups), self.n_topics
            self.values[rows, :k] = mapped_counts(np.maximum(self.values[rows, :k], 0.0), groups)
            self.settle()

    def _exclude(self) -> None:
        """Give excluded words the count −β in their topics, so that with the prior it is zero."""
        if len(self.rules.banned):
            words, topics = self.rules.banned.T
            fresh = np.float32(-self.beta / self.scale)
            np.add.at(self.totals, topics, self.scale * (float(fresh) - self.values[words, topics].astype(np.float64)))
            self.values[words, topics] = fresh

    def grow(self, n_words: int) -> None:
        """Add rows for new words."""
        if n_words > self.n_words:
            values = current_kernels().lda_memory.aligned((n_words, self.width))
            values[: self.n_words] = self.values
            self.values = values
