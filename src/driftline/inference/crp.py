r"""The Chinese restaurant process: a distribution over partitions with an unknown number of clusters.

The next item joins a cluster of n members with probability :math:`n / (N + \alpha)` and begins a new one with
:math:`\alpha / (N + \alpha)` (1), N being the items so far. A partition into clusters of sizes :math:`n_k`
therefore has the probability :math:`\alpha^K \frac{\Gamma(\alpha)}{\Gamma(\alpha + N)} \prod_k \Gamma(n_k)` (2),
whatever the order of the items.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln

from driftline.core.arrays import Ints


def draw_partition(n: int, concentration: float, rng: np.random.Generator) -> Ints:
    """Return the cluster of each of n items, drawn from the process (1); clusters are numbered as they appear.

    >>> draw_partition(8, 1.0, np.random.default_rng(0))
    array([0, 1, 2, 3, 3, 3, 3, 3])
    """
    labels, sizes = np.empty(n, dtype=np.int64), [concentration]
    for item, uniform in enumerate(rng.random(n)):
        # the weight of a new cluster is first, so that adding one does not shift the others
        place = int(np.searchsorted(np.cumsum(sizes), uniform * (item + concentration), side="right"))
        labels[item] = place - 1 if 0 < place < len(sizes) else len(sizes) - 1
        if labels[item] == len(sizes) - 1:
            sizes.append(0.0)
        sizes[labels[item] + 1] += 1.0
    return labels


def log_partition(sizes: Any, concentration: float) -> float:
    """Return the log-probability of a partition into clusters of these sizes (2); empty clusters do not count.

    >>> float(np.exp(log_partition([2], 1.0)))  # the second joins the first
    0.5
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    sizes = sizes[sizes > 0]
    n = sizes.sum()
    together = gammaln(concentration) - gammaln(concentration + n) + gammaln(sizes).sum()
    return float(len(sizes) * np.log(concentration) + together)


def draw_concentration(
    concentration: float, n_clusters: int, n: int, rng: np.random.Generator, *, shape: float = 1.0, rate: float = 1.0
) -> float:
    """Draw α given the number of clusters of n items, under a gamma prior (Escobar and West, by an auxiliary variable).

    The draw leaves p(α | clusters) ∝ Gamma(α; shape, rate) · (2) unchanged.
    """
    if n == 0:
        return float(rng.gamma(shape, 1.0 / rate))
    scale = rate - np.log(rng.beta(concentration + 1.0, n))
    odds = (shape + n_clusters - 1.0) / (n * scale)
    more = rng.random() < odds / (1.0 + odds)
    return float(rng.gamma(shape + n_clusters - (0.0 if more else 1.0), 1.0 / scale))
