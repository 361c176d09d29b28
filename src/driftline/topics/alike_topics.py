r"""Merge the most alike topics.

Of more topics than requested, some share a theme. Those that are most alike are merged until the requested number is
left. With the square roots of a topic's shares as its vector :math:`r_k`, and its tokens as its weight :math:`n_k`, the
distance of two topics, and the vector of the two merged, are those of Ward's method,

.. math:: d_{jk} = \frac{n_j n_k}{n_j + n_k} \lVert r_j - r_k \rVert^2, \qquad
    r_{jk} = \frac{n_j r_j + n_k r_k}{n_j + n_k}, \qquad (1)

approximately the loss in the likelihood of their tokens. Only the products :math:`r_j \cdot r_k` are needed, which are
linear in the vectors, too.
"""

from __future__ import annotations

import numpy as np

from driftline.core.arrays import Floats, Ints


def merged(counts: Floats, n_topics: int) -> Floats:
    """Return the counts of this number of topics: those that are most alike are merged (1).

    >>> merged(np.array([[4.0, 0.0, 2.0], [1.0, 3.0, 0.5]]), 2)
    array([[6. , 0. ],
           [1.5, 3. ]])
    """
    owners = most_alike(counts, n_topics)
    found = np.zeros((n_topics, len(counts)), dtype=counts.dtype)
    np.add.at(found, owners, counts.T)
    return np.ascontiguousarray(found.T)


def most_alike(counts: Floats, n_topics: int) -> Ints:
    """Return the number of the merged topic to which each topic belongs, in the order of their first ones."""
    sizes = np.maximum(counts.sum(axis=0, dtype=np.float64), np.finfo(np.float32).tiny)
    roots = np.sqrt(counts / sizes)
    products = (roots.T @ roots).astype(np.float64)
    squares, left = np.diag(products).copy(), sizes.copy()

    def distances(some: Ints) -> Floats:
        """Return the distances of some topics from all others."""
        own = left[some, None]
        found: Floats = own * left / (own + left) * (squares[some, None] + squares - 2 * products[some])
        return found

    far = distances(np.arange(len(sizes)))
    np.fill_diagonal(far, np.inf)
    owners = np.arange(len(sizes))
    for _ in range(len(sizes) - n_topics):
        j, k = sorted(np.unravel_index(int(far.argmin()), far.shape))
        share = left[j] / (left[j] + left[k])
        products[j] = share * products[j] + (1 - share) * products[k]
        products[:, j] = share * products[:, j] + (1 - share) * products[:, k]
        squares[j], left[j] = products[j, j], left[j] + left[k]
        owners[owners == k] = j
        gone = np.isinf(far[j])
        far[j] = far[:, j] = np.where(gone, np.inf, distances(np.array([j]))[0])
        far[k] = far[:, k] = np.inf
    return np.unique(owners, return_inverse=True)[1]
