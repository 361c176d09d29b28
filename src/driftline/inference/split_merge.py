r"""Split–merge proposals: two items are drawn; their cluster is divided, or their two clusters are merged.

After Dahl (2005). The other items of the cluster, or of both, are assigned in random order, one after the other, to the
first item or to the second, given the assignments so far. The probability q of the assignments is that of the proposal
if the items were together, and of the reverse proposal if they were apart. A split is accepted with probability

.. math:: \min\Bigl(1, \frac{p(\text{divided})}{p(\text{whole})\; q}\Bigr),                                         (1)

and a merger with the inverse ratio. Sweeps, which reassign one item at a time, rarely split or merge clusters.

Greedy mergers, whose result is the initial state of a chain, take candidates from `near_pairs` and select them with
`best_disjoint`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from sklearn.metrics import pairwise_distances

from driftline.core.arrays import Bools, Floats, Ints

NEAREST = 15
"""Number of candidates for a merger per cluster."""


class Seats(NamedTuple):
    """Two parts of a set of items: whether each item, in order, is in the second; ln q; and ln p of (1)."""

    second: Bools
    log_seats: float
    log_gain: float


class Divide(Protocol):
    """A model's function for assigning items."""

    def __call__(self, items: Ints, uniforms: Floats, second: Bools | None) -> Seats:
        """Assign items to the first two, which are apart: as given, or by the uniform numbers.

        `log_gain` is ln p(divided) − ln p(whole), of the partition and the items.
        """
        ...


class Accepted(NamedTuple):
    """An accepted proposal: the items of the two clusters, now apart or together."""

    first: Ints
    second: Ints
    together: bool


def propose(labels: Ints, divide: Divide, rng: np.random.Generator) -> Accepted | None:
    """Make one proposal; return it if it is accepted."""
    i, j = rng.choice(len(labels), 2, replace=False)
    together = bool(labels[i] == labels[j])
    others = np.flatnonzero((labels == labels[i]) | (labels == labels[j]))
    others = rng.permutation(others[(others != i) & (others != j)])
    items = np.concatenate([[i, j], others])
    seats = divide(items, rng.random(len(others)), None if together else labels[others] == labels[j])
    log_ratio = seats.log_gain - seats.log_seats  # (1)
    if np.log(rng.random()) >= (log_ratio if together else -log_ratio):
        return None
    second = np.concatenate([[False, True], seats.second])
    return Accepted(items[~second], items[second], not together)


def near_pairs(places: Floats, metric: str = "euclidean") -> Ints:
    """Return pairs of rows one of which is among the nearest of the other, each pair once, the smaller number first."""
    apart = pairwise_distances(places, metric=metric)
    np.fill_diagonal(apart, np.inf)
    nearest = np.argsort(apart, axis=1, kind="stable")[:, : min(NEAREST, len(places) - 1)]
    own = np.repeat(np.arange(len(places)), nearest.shape[1])
    ends = np.sort(np.column_stack([own, nearest.ravel()]), axis=1)
    return np.unique(ends, axis=0).astype(np.int64).reshape(-1, 2)


def best_disjoint(pairs: Ints, gains: Floats) -> Iterator[tuple[int, int]]:
    """Yield pairs with a positive gain, the best first, none of which shares an element with an earlier one."""
    used = set[int]()
    for place in np.argsort(-gains, kind="stable"):
        i, j = (int(end) for end in pairs[place])
        if gains[place] <= 0:
            return
        if i not in used and j not in used:
            used.update((i, j))
            yield i, j
