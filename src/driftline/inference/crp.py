r"""The Chinese restaurant process: a distribution over partitions with an unknown number of clusters.

The next item joins a cluster of n members with probability :math:`(n - d) / (N + \alpha)` and begins a new one with
:math:`(\alpha + K d) / (N + \alpha)` (1), N being the items and K the clusters so far. The discount d is 0 for the
Dirichlet process; with :math:`0 < d < 1` and :math:`\alpha > -d` it is the Pitman-Yor process. A partition into
clusters of sizes :math:`n_k` therefore has the probability

.. math:: \frac{\prod_{i=1}^{K-1} (\alpha + i d)}{(\alpha + 1)_{N-1}} \prod_k (1 - d)_{n_k - 1},                   (2)

whatever the order of the items, with rising factorials :math:`(a)_n = \Gamma(a + n) / \Gamma(a)`. The expected number
of clusters is

.. math:: E[K_N] = \alpha\bigl(\psi(\alpha + N) - \psi(\alpha)\bigr), \quad\text{or}\quad
          \frac{1}{d}\Bigl(\frac{\Gamma(\alpha + d + N)\,\Gamma(\alpha + 1)}{\Gamma(\alpha + d)\,\Gamma(\alpha + N)}
          - \alpha\Bigr)                                                                                           (3)

for d = 0 and for d > 0: it grows as :math:`\alpha \ln N`, or as :math:`N^d`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, psi

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput


def check_process(concentration: float, discount: float = 0.0) -> None:
    """Raise `InvalidInput` unless 0 ≤ d < 1 and α > -d (and α > 0 without a discount)."""
    if not 0 <= discount < 1:
        raise InvalidInput(f"the discount must be at least 0 and below 1; it is {discount:g}")
    if not -discount < concentration < np.inf:
        raise InvalidInput(
            f"the concentration must be above {-discount:g}, the negative discount; it is {concentration:g}"
        )


def draw_partition(n: int, concentration: float, rng: np.random.Generator, *, discount: float = 0.0) -> Ints:
    """Return the cluster of each of n items, drawn from the process (1); clusters are numbered as they appear.

    >>> draw_partition(8, 1.0, np.random.default_rng(0))
    array([0, 1, 2, 3, 3, 3, 3, 3])
    """
    labels, sizes = np.empty(n, dtype=np.int64), [concentration]
    for item, uniform in enumerate(rng.random(n)):
        # the weight of a new cluster is first, so that adding one does not shift the others
        place = int(np.searchsorted(np.cumsum(sizes), uniform * (item + concentration), side="right"))
        labels[item] = place - 1 if 0 < place < len(sizes) else len(sizes) - 1
        if item == 0 or labels[item] == len(sizes) - 1:
            labels[item] = len(sizes) - 1
            sizes.append(-discount)
            sizes[0] += discount
        sizes[labels[item] + 1] += 1.0
    return labels


def log_partition(sizes: npt.ArrayLike, concentration: float, *, discount: float = 0.0) -> float:
    """Return the log-probability of a partition into clusters of these sizes (2); empty clusters do not count.

    >>> float(np.exp(log_partition([2], 1.0)))  # the second joins the first
    0.5
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    sizes = sizes[sizes > 0]
    n = sizes.sum()
    if n == 0:
        return 0.0
    begun = np.log(concentration + discount * np.arange(1, len(sizes))).sum()
    seated = gammaln(concentration + 1.0) - gammaln(concentration + n)
    together = gammaln(sizes - discount).sum() - len(sizes) * gammaln(1.0 - discount)
    return float(begun + seated + together)


def expected_clusters(n: int, concentration: float, *, discount: float = 0.0) -> float:
    """Return E[K] for n items (3).

    >>> round(expected_clusters(1000, 1.0), 2), round(expected_clusters(1000, 1.0, discount=0.5), 2)
    (7.49, 69.39)
    """
    check_process(concentration, discount)
    if n == 0:
        return 0.0
    if discount == 0:
        return float(concentration * (psi(concentration + n) - psi(concentration)))
    ratio = gammaln(concentration + discount + n) - gammaln(concentration + discount)
    ratio += gammaln(concentration + 1.0) - gammaln(concentration + n)
    return float((np.exp(ratio) - concentration) / discount)


def cluster_count_probabilities(n: int, concentration: float, *, discount: float = 0.0) -> Floats:
    r"""Return p(K = k) of n items for k = 0 … n, by Antoniak's formula.

    .. math:: p(K = k) = S_d(n, k)\, \frac{\prod_{i=1}^{k-1} (\alpha + i d)}{(\alpha + 1)_{n-1}}

    with the generalised Stirling numbers of the first kind (`log_stirling_numbers`).

    >>> cluster_count_probabilities(2, 3.0)
    array([0.  , 0.25, 0.75])
    """
    check_process(concentration, discount)
    if n == 0:
        return np.ones(1)
    begun = np.concatenate([[0.0], np.cumsum(np.log(concentration + discount * np.arange(1, n)))])
    seated = gammaln(concentration + 1.0) - gammaln(concentration + n)
    return np.concatenate([[0.0], np.exp(log_stirling_numbers(n, discount)[1:] + begun + seated)])


def log_stirling_numbers(n: int, discount: float = 0.0) -> Floats:
    r"""Return the logarithms of :math:`S_d(n, k)`, k = 0 … n, by :math:`S(n+1, k) = S(n, k-1) + (n - k d) S(n, k)`.

    >>> np.exp(log_stirling_numbers(4)).round()  # of the first kind, without signs
    array([ 0.,  6., 11.,  6.,  1.])
    """
    row = np.full(n + 1, -np.inf)
    row[0] = 0.0
    for i in range(n):
        stay = i - discount * np.arange(n + 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            stayed = np.where(stay > 0, np.log(np.where(stay > 0, stay, 1.0)) + row, -np.inf)
        row = np.logaddexp(stayed, np.concatenate([[-np.inf], row[:-1]]))
    return row


def draw_table_counts(customers: npt.ArrayLike, weights: npt.ArrayLike, rng: np.random.Generator) -> Ints:
    r"""Draw the number of tables of n customers who all eat the same dish of the given weight (Antoniak).

    Customer i + 1 sits at a new table with probability :math:`a / (a + i)`; a is the concentration times the base
    probability of the dish. Works on arrays of any shape.

    >>> draw_table_counts([0, 1, 50], [0.5, 0.5, 1e9], np.random.default_rng(0))
    array([ 0,  1, 50])
    """
    n, a = np.broadcast_arrays(np.asarray(customers, dtype=np.int64), np.asarray(weights, dtype=np.float64))
    flat, weight = n.ravel(), a.ravel()
    owner = np.repeat(np.arange(flat.size), flat)
    before = np.arange(len(owner)) - np.repeat(np.cumsum(flat) - flat, flat)
    new = rng.random(len(owner)) * (weight[owner] + before) < weight[owner]
    new |= before == 0
    return np.bincount(owner[new], minlength=flat.size).reshape(n.shape)
