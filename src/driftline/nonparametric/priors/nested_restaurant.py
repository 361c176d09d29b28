r"""The nested Chinese restaurant process: a tree of unbounded width and given depth, and a path for every item.

All paths begin at the root. An item at a node chooses one of its children by a Chinese restaurant process whose
customers are the items that pass through that node (1). The items of a node at level l + 1 are a cluster of those of
its parent, so the expected number of nodes is computed level by level from the expected number of clusters of size j
among n items,

.. math:: E[C_j] = \frac{\alpha}{j}
          \frac{\Gamma(n + 1)\,\Gamma(n - j + \alpha)}{\Gamma(n - j + 1)\,\Gamma(n + \alpha)}.                     (2)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator
from driftline.inference import crp


@dataclass(frozen=True)
class NestedChineseRestaurant:
    """A random tree, and a path from the root to a leaf for every item (1).

    Parameters
    ----------
    concentration : float
        α; larger values give more children.
    depth : int
        Number of levels, the root included.

    Examples
    --------
    >>> process = NestedChineseRestaurant(concentration=1.0, depth=3)
    >>> process.sample(4, random_state=0)  # a node's number is unique within its level
    array([[0, 0, 0],
           [0, 1, 1],
           [0, 2, 2],
           [0, 3, 3]])
    >>> process.expected_nodes(100).round(1)
    array([ 1. ,  5.2, 14.3])
    """

    concentration: float = 1.0
    depth: int = 3

    def __post_init__(self) -> None:
        crp.check_process(self.concentration)
        if self.depth < 1:
            raise InvalidInput(f"the depth must be at least 1; it is {self.depth}")

    def sample(self, n: int, random_state: Seed = None) -> Ints:
        """Draw the paths of n items, items × levels; the nodes of a level are numbered in order of appearance."""
        rng = generator(random_state)
        paths = np.zeros((n, self.depth), dtype=np.int64)
        for level in range(1, self.depth):
            numbers: dict[tuple[int, int], int] = {}
            inside = np.zeros(n, dtype=np.int64)
            for parent in np.unique(paths[:, level - 1]):
                own = paths[:, level - 1] == parent
                inside[own] = crp.draw_partition(int(own.sum()), self.concentration, rng)
            for item, key in enumerate(zip(paths[:, level - 1].tolist(), inside.tolist())):
                paths[item, level] = numbers.setdefault(key, len(numbers))
        return paths

    def log_probability(self, paths: npt.ArrayLike) -> float:
        """Return the log-probability of paths, items × levels; only which items share a node matters."""
        paths = np.asarray(paths)
        if paths.ndim != 2 or paths.shape[1] != self.depth:
            raise InvalidInput(f"paths must be items × {self.depth} levels; they have the shape {paths.shape}")
        total = 0.0
        for level in range(1, self.depth):
            parents = np.unique(paths[:, :level], axis=0, return_inverse=True)[1].ravel()
            for parent in range(int(parents.max(initial=-1)) + 1):
                sizes = np.unique(paths[parents == parent, level], return_counts=True)[1]
                total += crp.log_partition(sizes, self.concentration)
        return total

    def expected_nodes(self, n: int) -> Floats:
        """Return the expected number of nodes of every level, by (2)."""
        below = np.concatenate([[0.0], np.ones(n)])  # nodes of the current level, for 0 … n items at the root
        found = [1.0 if n else 0.0]
        for _ in range(1, self.depth):
            below = np.array([self._expected_sizes(items) @ below[: items + 1] for items in range(n + 1)])
            found.append(float(below[n]))
        return np.array(found)

    def _expected_sizes(self, n: int) -> Floats:
        """Return the expected number of clusters of size 0 … n among n items (2)."""
        j, alpha = np.arange(1, n + 1), self.concentration
        logs = np.log(alpha / j) + gammaln(n + 1) - gammaln(n + alpha) + gammaln(n - j + alpha) - gammaln(n - j + 1)
        return np.concatenate([[0.0], np.exp(logs)])
