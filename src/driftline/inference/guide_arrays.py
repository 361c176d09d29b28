"""What a guide becomes: plain arrays, the only thing that the model families see of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Bools, Floats, Ints

TOGETHER = 1e4
"""Weight η of the shared proportions of words that belong together."""


class WordStart(NamedTuple):
    """Where words start: counts of words × topics, and the topics among which the rest of every word is spread."""

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
    """Bounds of the share of every topic (groups × topics), and the group of every document."""

    low: Floats
    high: Floats
    groups: Ints


class DocumentWishes(NamedTuple):
    """Additions to the documents' priors (documents × topics), certain topics (−1: none), and weighted links.

    α_d gets ``additions[d] + links[d] @ θ`` while topics are learned. The shares of documents then have `plain`
    instead of the additions, where a classifier's probabilities are not sharpened (None: the same).
    """

    additions: sp.csr_array | None
    known: Ints | None
    links: sp.csr_array | None
    plain: sp.csr_array | None = None


class PlacedWish(NamedTuple):
    """A wish as it was compiled: its topic (−1: none), its words, its documents, and what is to be said about it."""

    topic: int
    words: Ints
    documents: Ints
    notes: tuple[str, ...]


class GuideArrays(NamedTuple):
    """A compiled guide: names of the topics, arrays, and where every wish went."""

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
