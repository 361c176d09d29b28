"""The documents of a stream that have not expired: their words, times, stories, and candidate links."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.base.state_layout import Array, Together
from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.core.matrices import index_arrays

N_CANDIDATES = 5
"""Number of earlier documents, or stories, that a document may link to."""


class Window(NamedTuple):
    """Documents in the order of their times; document d has the entries ``offsets[d]`` to ``offsets[d + 1]``.

    `targets` are candidate documents (positions in the window, −1 if missing or expired) and `links` the probabilities
    of a link to each; the remaining probability is that of no link. `groups` are known groups, −1 if unknown.
    """

    offsets: Ints
    words: Ints
    counts: Floats
    weights: Floats
    times: Floats
    numbers: Ints
    stories: Ints
    groups: Ints
    targets: Ints
    links: Floats

    @classmethod
    def empty(cls) -> Window:
        """Return a window without documents."""
        return cls.of(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0), np.empty(0), np.empty(0), 0)

    @classmethod
    def of(cls, offsets: Ints, words: Ints, counts: Floats, weights: Floats, times: Floats, first: int) -> Window:
        """Return documents that have no story yet, numbered from `first`."""
        n = len(times)
        unknown = np.full(n, -1, np.int64)
        return cls(
            offsets, words, counts, weights, times, np.arange(first, first + n), unknown, unknown.copy(),
            np.full((n, N_CANDIDATES), -1, np.int64), np.zeros((n, N_CANDIDATES)),
        )  # fmt: skip

    @property
    def lengths(self) -> Ints:
        """The number of distinct words of every document."""
        return np.diff(self.offsets)

    def rows(self, first: int, last: int, n_words: int) -> sp.csr_matrix:
        """Return the counts of documents `first` to `last` − 1."""
        entries = slice(int(self.offsets[first]), int(self.offsets[last]))
        offsets = self.offsets[first : last + 1] - self.offsets[first]
        return sp.csr_matrix((self.counts[entries], self.words[entries], offsets), shape=(last - first, n_words))

    def followed_by(self, other: Window) -> Window:
        """Return these documents and then others, which have no candidates yet."""
        offsets = np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]])
        joined = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in self._fields[1:]}
        return Window(offsets, **joined)

    def after(self, low: int) -> Window:
        """Return the documents starting at `low`; candidates before it are missing."""
        entry = int(self.offsets[low])
        targets = np.maximum(self.targets[low:] - low, -1)
        entries = {name: getattr(self, name)[entry:] for name in ("words", "counts", "weights")}
        columns = {name: getattr(self, name)[low:] for name in ("times", "numbers", "stories", "groups", "links")}
        return Window(offsets=self.offsets[low:] - entry, targets=targets, **entries, **columns)

    def lows(self, memory: float, most: int) -> Ints:
        """Return the first unexpired document when each arrives, by age or by the limit of `most` documents."""
        by_age = np.searchsorted(self.times, self.times - memory, side="left")
        return np.maximum(by_age, np.arange(len(self.times)) - most).astype(np.int64)


def weighed(X: sp.csr_matrix, when: Floats, n_containing: Ints, n_before: int, *, learn: bool) -> Window:
    """Return documents with the weights of their words; if `learn`, they are counted in `n_containing`."""
    offsets, words = index_arrays(X)
    weights = current_kernels().story_links.weigh_rows(offsets, words, X.data, n_containing, n_before, learn)
    return Window.of(offsets, words, X.data, weights, when, 0)


def word_weights(n_containing: Ints, n: int) -> Floats:
    """Return the weights of words, given the number of the n documents that contain each, as used in documents."""
    return np.asarray(np.log1p((n - n_containing + 0.5) / (n_containing + 0.5)))


WINDOW = Together(
    {
        "offsets": Array("documents+1", kind="i8", least=0, ordered=True),
        "words": Array("entries", kind="i4", below="words"),
        "counts": Array("entries", kind="f8", least=0),
        "weights": Array("entries", kind="f8", least=0, most=1.0 + 1e-9),
        "times": Array("documents", kind="f8", ordered=True),
        "numbers": Array("documents", kind="i8", least=0),
        "stories": Array("documents", kind="i8", least=-1),
        "groups": Array("documents", kind="i8", least=-1),
        "targets": Array("documents", N_CANDIDATES, kind="i8", least=-1),
        "links": Array("documents", N_CANDIDATES, kind="f8", least=0, most=1.0 + 1e-9),
    }
)
"""Layout of a saved window."""
