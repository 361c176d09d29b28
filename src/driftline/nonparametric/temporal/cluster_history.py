"""Births and ends of clusters over time: their numbers, over samples, and the times of each cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv

from driftline.core.arrays import Floats, Ints
from driftline.core.pictures import Curves, Picture, Series
from driftline.core.results import Columns, Result, counted, time_range
from driftline.core.times import Instant

KINDS = ("live", "born", "ended")
LEVEL = 0.95


class ClusterLife(NamedTuple):
    """A cluster: the times of its first and last document, their number, and its characteristic words."""

    cluster: int
    start: Instant
    end: Instant
    n_documents: int
    words: tuple[str | int, ...]


@dataclass(frozen=True, repr=False)
class ClusterHistory(Result):
    """The numbers of clusters (or topics) that are live, begin and end in each epoch, over samples.

    `times` are the beginnings of epochs with documents. A cluster is live from its first to its last document, and ends
    in the epoch of the last one unless that is the last epoch. `live`, `born` and `ended` are 3 × epochs: the median,
    and the interval that contains 95 % of the samples.
    """

    times: np.ndarray
    n_documents: Ints
    live: Ints
    born: Ints
    ended: Ints

    @classmethod
    def of(cls, times: np.ndarray, n_documents: Ints, samples: Ints) -> ClusterHistory:
        """Summarise samples × (live, born, ended) × epochs."""
        tail = (1.0 - LEVEL) / 2
        found = np.quantile(samples, (0.5, tail, 1.0 - tail), axis=0, method="nearest").astype(np.int64)
        return cls(times, n_documents, found[:, 0], found[:, 1], found[:, 2])

    def _columns(self) -> Columns:
        columns: dict[str, object] = {"time": self.times, "n_documents": self.n_documents}
        for kind in KINDS:
            found = getattr(self, kind)
            columns |= {kind: found[0], f"{kind}_lower": found[1], f"{kind}_upper": found[2]}
        return columns

    def _summary(self) -> str:
        born = counted(int(self.born[0].sum()), "birth")
        return f"{born}, {int(self.ended[0].sum()):,} ended; epochs: {time_range(self.times)}"

    def _picture(self) -> Picture:
        bands = {kind: getattr(self, kind).astype(np.float64) for kind in KINDS}
        return Curves([Series(kind, self.times, *values) for kind, values in bands.items()])


def lives(labels: Ints, epochs: Ints, n_epochs: int) -> Ints:
    """Return the number of clusters that are live, begin and end in each epoch, 3 × epochs.

    >>> lives(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 3]), 4)
    array([[1, 2, 0, 1],
           [1, 1, 0, 1],
           [0, 2, 0, 0]])
    """
    names, place = np.unique(labels, return_inverse=True)
    first, last = np.full(len(names), n_epochs), np.full(len(names), -1)
    np.minimum.at(first, place, epochs)
    np.maximum.at(last, place, epochs)
    born, ended = np.bincount(first, minlength=n_epochs), np.bincount(last, minlength=n_epochs)
    live = np.cumsum(born) - np.concatenate([[0], np.cumsum(ended)[:-1]])
    ended[-1:] = 0
    return np.stack([live, born, ended])


def share_band(sizes: Ints | Floats) -> tuple[Floats, Floats, Floats]:
    r"""Return the shares of clusters (rows) in epochs (columns), and the ends of their 95 % intervals.

    The interval is Jeffreys's: :math:`\mathrm{Beta}(n + 1/2, N - n + 1/2)` for n of the N documents of an epoch; its
    lower end is 0 if n is 0, and its upper end is 1 if n is N.

    >>> [each.round(2).tolist() for each in share_band(np.array([[3, 0], [1, 5]]))]
    [[[0.75, 0.0], [0.25, 1.0]], [[0.28, 0.0], [0.03, 0.62]], [[0.97, 0.38], [0.72, 1.0]]]
    """
    n, total = sizes.astype(np.float64), sizes.sum(axis=0, keepdims=True).astype(np.float64)
    tail = (1.0 - LEVEL) / 2
    low, high = (betaincinv(n + 0.5, total - n + 0.5, q) for q in (tail, 1.0 - tail))
    return n / total, np.where(n > 0, low, 0.0), np.where(n < total, high, 1.0)
