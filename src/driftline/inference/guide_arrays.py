"""Compiled guides: plain arrays, the only form in which model families receive a guide."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Bools, Floats, Ints

TOGETHER = 1e4
"""Weight η of the shared proportions of words that belong together."""


class WordStart(NamedTuple):
    """Initial topics of words: counts of words × topics, and the topics over which the rest of every word is spread."""

    counts: sp.csr_array
    open: Bools


class WordPrior(NamedTuple):
    """Prior counts of some words (rows) in all topics, and (word, topic) pairs that are excluded."""

    words: Ints
    counts: Floats
    banned: Ints


class WordGroups(NamedTuple):
    """Words that belong together, by group; pairs that never share a topic; η; and the words' own counts."""

    together: tuple[Ints, ...]
    apart: Ints
    strength: float
    said: Floats


class Bounds(NamedTuple):
    """Bounds of the share of every topic in sets of documents (sets × topics), and the group of every document.

    Every group is a set, unless documents are divided in several ways, by month and by source: `sets` then has the set
    of each group in every division (divisions × groups).
    """

    low: Floats
    high: Floats
    groups: Ints
    sets: Ints | None = None

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return len(self.low) if self.sets is None else self.sets.shape[1]

    def by_group(self, multipliers: Floats) -> Floats:
        """Return the multipliers of every group, the sums of those of its sets."""
        found: Floats = multipliers if self.sets is None else multipliers[self.sets].sum(axis=0)
        return found

    def by_set(self, values: Floats | Ints) -> Floats:
        """Return sums over the groups of every set, given a value or a row of values for every group."""
        if self.sets is None:
            return values.astype(np.float64)
        found = np.zeros((len(self.low), *values.shape[1:]))
        for division in self.sets:
            np.add.at(found, division, values)
        return found


class DocumentWishes(NamedTuple):
    """Additions to the documents' priors (documents × topics), certain topics (−1: none), and weighted links.

    α_d gets ``additions[d] + links[d] @ θ`` while topics are learned. The shares of documents are then computed with
    `plain` instead of the additions: there a classifier's probabilities are not sharpened (None: use the additions).
    """

    additions: sp.csr_array | None
    known: Ints | None
    links: sp.csr_array | None
    plain: sp.csr_array | None = None


class PlacedWish(NamedTuple):
    """A compiled wish: its topic (−1: none), its words, its documents (or other topics), and notes about it.

    A proportion has its sets of documents in place of documents. `target` are the counts of the topics (topics × words)
    that a wish to keep or merge topics requests, and `before` the share of its words' uses that a topic had before a
    refit.
    """

    topic: int
    words: Ints
    documents: Ints
    notes: tuple[str, ...]
    target: Floats | None = None
    before: float = np.nan


class GuideArrays(NamedTuple):
    """A compiled guide: names of the topics, arrays, and the topic of every wish."""

    names: tuple[str, ...]
    start: WordStart | None
    prior: WordPrior | None
    groups: WordGroups | None
    documents: DocumentWishes
    bounds: Bounds | None
    rules: tuple[object, ...]
    placed: tuple[PlacedWish, ...]

    @property
    def n_named(self) -> int:
        """The number of topics that have a name."""
        return sum(name != str(k) for k, name in enumerate(self.names))


NO_PAIRS: Ints = np.empty((0, 2), dtype=np.int64)
NO_ROWS: Ints = np.empty(0, dtype=np.int64)
