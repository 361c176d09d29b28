"""The Chinese restaurant process, and with a discount the Pitman-Yor process, as a distribution over partitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Floats, Ints
from driftline.core.randomness import Seed, generator
from driftline.inference import crp


@dataclass(frozen=True)
class ChineseRestaurant:
    """A random partition of items into an unknown number of clusters.

    Parameters
    ----------
    concentration : float
        α; larger values give more clusters.
    discount : float
        d, from 0 (Dirichlet process) to below 1 (Pitman-Yor process): the share of clusters of one item.

    Examples
    --------
    >>> process = ChineseRestaurant(concentration=1.0)
    >>> process.sample(8, random_state=0)
    array([0, 1, 2, 3, 3, 3, 3, 3])
    >>> round(float(np.exp(process.log_probability([0, 0, 1]))), 3)
    0.167
    >>> round(process.expected_clusters(1000), 2)
    7.49
    """

    concentration: float = 1.0
    discount: float = 0.0

    def __post_init__(self) -> None:
        crp.check_process(self.concentration, self.discount)

    def sample(self, n: int, random_state: Seed = None) -> Ints:
        """Draw the clusters of n items, numbered in order of appearance."""
        return crp.draw_partition(n, self.concentration, generator(random_state), discount=self.discount)

    def log_probability(self, labels: npt.ArrayLike) -> float:
        """Return the log-probability of a partition, given the cluster of every item; names do not matter."""
        sizes = np.unique(np.asarray(labels), return_counts=True)[1]
        return crp.log_partition(sizes, self.concentration, discount=self.discount)

    def predictive(self, sizes: npt.ArrayLike) -> Floats:
        """Return the probabilities of the next item's cluster, given the sizes so far; the last is a new cluster."""
        sizes = np.asarray(sizes, dtype=np.float64)
        weights = np.append(sizes - self.discount, self.concentration + len(sizes) * self.discount)
        return np.asarray(weights / (sizes.sum() + self.concentration)) if len(sizes) else np.ones(1)

    def expected_clusters(self, n: int) -> float:
        """Return the expected number of clusters of n items."""
        return crp.expected_clusters(n, self.concentration, discount=self.discount)

    def cluster_count_probabilities(self, n: int) -> Floats:
        """Return the probabilities of 0 … n clusters of n items (Antoniak)."""
        return crp.cluster_count_probabilities(n, self.concentration, discount=self.discount)
