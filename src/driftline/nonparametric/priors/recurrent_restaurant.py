r"""The recurrent Chinese restaurant process: clusters that gain and lose popularity from epoch to epoch.

An item of epoch t joins cluster k with a probability proportional to

.. math:: n_{kt} + \sum_{\delta = 1}^{\Delta} e^{-\delta / \lambda} n_{k, t - \delta},                             (1)

its current members and its decayed earlier ones, and starts a new cluster in proportion to α (Ahmed and Xing, 2008). A
cluster whose weight (1) is zero has ended. With real times and no window it is the time-sensitive process of Zhu,
Ghahramani and Lafferty (2005); without decay it is the Chinese restaurant process.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator
from driftline.inference import crp


@dataclass(frozen=True)
class RecurrentChineseRestaurant:
    """A random partition of items that arrive in epochs (1).

    Parameters
    ----------
    concentration : float
        α.
    timescale : float
        λ: the number of epochs after which a member counts e⁻¹ = 0.37. Infinity means no decay.
    window : float
        Δ: the number of epochs after which members no longer count.

    Examples
    --------
    >>> process = RecurrentChineseRestaurant(concentration=1.0, timescale=0.5, window=2)
    >>> process.sample([0, 0, 0, 5, 5], random_state=0)  # five epochs later all clusters are new
    array([0, 0, 0, 1, 2])
    >>> round(process.expected_clusters([0, 0, 0, 5, 5]), 3)
    3.333
    """

    concentration: float = 1.0
    timescale: float = 1.0
    window: float = np.inf

    def __post_init__(self) -> None:
        crp.check_process(self.concentration)
        if not (self.timescale > 0 and self.window >= 0):
            raise InvalidInput("the timescale must be above 0, and the window at least 0")

    def sample(self, epochs: npt.ArrayLike, random_state: Seed = None) -> Ints:
        """Draw the clusters of items with these non-decreasing epochs, numbered in order of appearance."""
        times, rng = self._checked(epochs), generator(random_state)
        labels, n_clusters = np.zeros(len(times), dtype=np.int64), 0
        for item in range(len(times)):
            weights = np.append(self._weights(times, labels, item, n_clusters), self.concentration)
            point = rng.random() * weights.sum()
            labels[item] = min(int(np.searchsorted(np.cumsum(weights), point, side="right")), n_clusters)
            n_clusters = max(n_clusters, int(labels[item]) + 1)
        return labels

    def log_probability(self, labels: npt.ArrayLike, epochs: npt.ArrayLike) -> float:
        """Return the log-probability of a partition of items with these epochs."""
        times = self._checked(epochs)
        names = np.unique(np.asarray(labels), return_inverse=True)[1].ravel()
        if len(names) != len(times):
            raise InvalidInput(f"there are {len(names)} labels and {len(times)} epochs; every item needs both")
        known: set[int] = set()
        total = 0.0
        for item, label in enumerate(names.tolist()):
            weights = self._weights(times, names, item, int(names.max()) + 1)
            own = weights[label] if label in known else self.concentration
            with np.errstate(divide="ignore"):
                total += float(np.log(own / (weights.sum() + self.concentration)))
            known.add(label)
        return total

    def expected_clusters(self, epochs: npt.ArrayLike) -> float:
        """Return the expected number of clusters ever started; the total weight of all clusters is not random."""
        times = self._checked(epochs)
        weights = np.array([self._decay(times[item] - times[:item]).sum() for item in range(len(times))])
        return float((self.concentration / (self.concentration + weights)).sum())

    def _weights(self, times: Floats, labels: Ints, item: int, n_clusters: int) -> Floats:
        decayed = self._decay(times[item] - times[:item])
        return np.bincount(labels[:item], weights=decayed, minlength=n_clusters).astype(np.float64)

    def _decay(self, ages: Floats) -> Floats:
        return np.asarray(np.where(ages <= self.window, np.exp(-ages / self.timescale), 0.0))

    def _checked(self, epochs: npt.ArrayLike) -> Floats:
        times = np.asarray(epochs, dtype=np.float64)
        if not np.isfinite(times).all() or (np.diff(times) < 0).any():
            raise InvalidInput("epochs must be finite and in order; sort the items by time")
        return times
