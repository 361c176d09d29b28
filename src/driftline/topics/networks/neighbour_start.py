r"""A start for topics of linked documents: tf-idf averaged over neighbours, reduced, and clustered by k-means.

With the symmetric row weights W of the links, :math:`\bar X = \tfrac12 (X + W X)` is applied twice to the tf-idf rows;
the averaged rows are reduced by a truncated SVD and clustered. These clusters alone already recover groups of linked
documents well.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import randomized_svd

from driftline.core.arrays import Counts, Floats, Ints
from driftline.core.randomness import seed_of
from driftline.topics.networks.link_weights import row_weights

HOPS = 2
DIMENSIONS = 50
N_STARTS = 5
"""Number of k-means starts; the best is kept."""
CERTAINTY = 0.8
"""Share of a document's own cluster in its initial shares."""


class Start(NamedTuple):
    """Initial topics, words × topics, and shares of documents."""

    topics: Floats
    shares: Floats


def averaged_rows(X: Counts, links: Counts, hops: int = HOPS) -> Counts:
    """Return tf-idf rows of length one, averaged `hops` times with those of linked documents, in either direction."""
    n = X.shape[0]
    in_documents = np.bincount(X.indices, minlength=X.shape[1])
    idf = np.log((1 + n) / (1 + in_documents)) + 1
    rows = sp.csr_array(X @ sp.diags_array(idf))
    length = np.sqrt(np.asarray(rows.power(2).sum(axis=1)).ravel())
    rows = sp.csr_array(sp.diags_array(1 / np.maximum(length, 1e-12)) @ rows)
    both = row_weights(sp.csr_array(links + links.T))
    alone = np.diff(both.indptr) == 0
    own = sp.diags_array(np.where(alone, 1.0, 0.5))
    for _ in range(hops):
        rows = sp.csr_array(own @ rows + 0.5 * (both @ rows))
    return rows


def neighbour_clusters(X: Counts, links: Counts, n_clusters: int, rng: np.random.Generator, hops: int = HOPS) -> Ints:
    """Return the cluster of every document."""
    rows = averaged_rows(X, links, hops)
    size = min(DIMENSIONS, *rows.shape)
    if n_clusters < 2 or X.shape[0] <= n_clusters or size < 1 or not rows.nnz:
        return np.arange(X.shape[0]) % n_clusters
    left, values, _ = randomized_svd(rows, size, random_state=seed_of(rng))
    places = left * values
    length = np.linalg.norm(places, axis=1, keepdims=True)
    places = places / np.maximum(length, 1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct documents than clusters
        found = KMeans(n_clusters, n_init=N_STARTS, random_state=seed_of(rng)).fit(places)
    return np.asarray(found.labels_, dtype=np.int64)


def neighbour_start(X: Counts, links: Counts, n_topics: int, rng: np.random.Generator) -> Start:
    """Return the topics of the clusters, smoothed, and shares that prefer each document's cluster."""
    labels = neighbour_clusters(X, links, n_topics, rng)
    belief = np.eye(n_topics)[labels]
    counts = X.T @ belief + np.asarray(X.sum(axis=0)).ravel()[:, None] / n_topics * 0.05 + 1e-3
    shares = CERTAINTY * belief + (1 - CERTAINTY) / n_topics
    return Start(counts / counts.sum(axis=0), shares)


def random_start(X: Counts, n_topics: int, rng: np.random.Generator) -> Start:
    """Return random topics and equal shares."""
    start = rng.dirichlet(np.ones(X.shape[1]), n_topics).T
    return Start(0.5 * start + 0.5 / X.shape[1], np.full((X.shape[0], n_topics), 1 / n_topics))
