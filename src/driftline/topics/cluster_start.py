r"""Initial clusters of documents for topic models: short documents may be similar even if they have no word in common.

With x indicating which words a document contains, each word also counts, with a lower weight, for its nearest words:

.. math:: y_w = \mathrm{idf}_w \Bigl(x_w + 0.3 \sum_{v \in d} [w \in N(v)]\Bigr) \quad (1)

where N(v) are the eight words with the largest positive normalised pointwise mutual information with v, among those
that occur together with v in at least two documents. Rows are reduced to 50 dimensions by a singular value
decomposition, scaled to unit length and clustered by k-means. Clusters of few documents depend on chance, so that
several are drawn, and those are used that agree most with the others. Random numbers come from the given generator, and
linear algebra runs in one thread, so that the clusters do not depend on the number of threads.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.extmath import randomized_svd

from driftline.core.arrays import Counts, Floats, Ints
from driftline.core.randomness import seed_of
from driftline.engines.blas import one_blas_thread
from driftline.inference.em import EM
from driftline.inference.run import run
from driftline.inference.stopping import SmallRise, Stop

NEIGHBOURS = 8
NEIGHBOUR_WEIGHT = 0.3
LEAST_TOGETHER = 2
DIMENSIONS = 50
RESTARTS = 4
STEPS, TOLERANCE = 30, 1e-5
MOST_PAIRS = 30_000_000
"""Maximum number of counted pairs of words within documents; above it, only evenly spaced documents are used."""


def document_vectors(X: Counts, rng: np.random.Generator) -> Floats:
    """Return unit vectors of the documents, documents × at most 50; empty documents are zero."""
    present = sp.csr_array((np.ones(X.nnz), X.indices, X.indptr), shape=X.shape)
    in_documents = np.bincount(present.indices, minlength=X.shape[1])
    idf = np.log(X.shape[0] / np.maximum(in_documents, 1)) + 1.0
    expanded = (present + NEIGHBOUR_WEIGHT * (present @ word_neighbours(present))) @ sp.diags_array(idf)  # (1)
    expanded = sp.csr_array(expanded)
    dimensions = min(DIMENSIONS, min(X.shape))
    with one_blas_thread():
        if dimensions == min(X.shape):
            vectors = expanded.toarray()
        else:
            left, values, _ = randomized_svd(expanded, dimensions, n_iter=3, random_state=seed_of(rng))
            vectors = left * values
    return unit_rows(vectors)


def word_neighbours(present: Counts) -> Counts:
    """Return a words × words matrix with a one for each of the nearest words of the word in the row."""
    lengths = np.diff(present.indptr).astype(np.float64)
    every = max(1, int(np.ceil((lengths**2).sum() / MOST_PAIRS)))
    some = sp.csr_array(present[::every])
    together = sp.coo_array(some.T @ some)
    alone = np.bincount(some.indices, minlength=some.shape[1]).astype(np.float64)
    keep = (together.row != together.col) & (together.data >= LEAST_TOGETHER)
    row, column, n = together.row[keep], together.col[keep], together.data[keep]
    share = n / some.shape[0]
    everywhere = share >= 1.0
    npmi = np.log(n * some.shape[0] / (alone[row] * alone[column])) / -np.log(np.where(everywhere, 0.5, share))
    positive = (npmi > 1e-9) & ~everywhere
    row, column, npmi = row[positive], column[positive], npmi[positive]
    order = np.lexsort((column, -npmi, row))
    row, column = row[order], column[order]
    first = np.searchsorted(row, row)  # where the words of this row begin
    near = np.arange(len(row)) - first < NEIGHBOURS
    shape = (some.shape[1], some.shape[1])
    return sp.csr_array((np.ones(int(near.sum())), (row[near], column[near])), shape=shape)


def unit_rows(vectors: Floats) -> Floats:
    """Scale rows to length one; zero rows stay zero.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8], [0. , 0. ]])
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: Floats = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return found


def clusters(vectors: Floats, n_clusters: int, rng: np.random.Generator, restarts: int = RESTARTS) -> Ints:
    """Return the k-means cluster of every row, from the best of several k-means++ starts.

    >>> clusters(np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), 2, np.random.default_rng(0))[[0, 2]].std()
    np.float64(0.0)
    """
    rows = _Rows(vectors, n_clusters, (vectors**2).sum(axis=1))
    with one_blas_thread():
        centres = run(K_MEANS, rows, stop=Stop(STEPS, SmallRise(TOLERANCE)), chains=restarts, rng=rng).result
        labels: Ints = np.argmin(_distances(rows, centres), axis=1)
    return labels


class _Rows(NamedTuple):
    """The problem: rows, the number of clusters, and the squared lengths of the rows."""

    vectors: Floats
    n_clusters: int
    lengths: Floats


def _distances(rows: _Rows, centres: Floats) -> Floats:
    return squared_distances(rows.vectors, centres, rows.lengths)


def _spread_start(rows: _Rows, rng: np.random.Generator) -> Floats:
    """Draw centres among the rows, each in proportion to the squared distance from the nearest earlier centre."""
    chosen = [int(rng.integers(len(rows.vectors)))]
    nearest = _distances(rows, rows.vectors[chosen])[:, 0]
    while len(chosen) < rows.n_clusters:
        running = np.cumsum(nearest)
        drawn = int(np.searchsorted(running, rng.random() * running[-1])) if running[-1] > 0 else len(chosen)
        chosen.append(min(drawn, len(rows.vectors) - 1))
        nearest = np.minimum(nearest, _distances(rows, rows.vectors[chosen[-1:]])[:, 0])
    return rows.vectors[chosen]


def _nearest(centres: Floats, rows: _Rows, rng: np.random.Generator) -> tuple[Ints, float]:
    distances = _distances(rows, centres)
    labels = np.argmin(distances, axis=1)
    return labels, -float(distances[np.arange(len(labels)), labels].sum())


def _means(labels: Ints, centres: Floats, rows: _Rows) -> Floats:
    sizes = np.bincount(labels, minlength=len(centres))[:, None]
    sums = memberships(labels, len(centres)).T @ rows.vectors
    found: Floats = np.where(sizes > 0, sums / np.maximum(sizes, 1), centres)
    return found


def most_typical(draws: Sequence[Ints]) -> Ints:
    """Return the clusters whose adjusted Rand index with all others is highest.

    >>> most_typical([np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])])
    array([0, 0, 1, 1])
    """
    agreement = np.zeros((len(draws), len(draws)))
    for i, j in itertools.combinations(range(len(draws)), 2):
        agreement[i, j] = agreement[j, i] = adjusted_rand_score(draws[i], draws[j])
    return draws[int(agreement.sum(axis=1).argmax())]


def memberships(labels: Ints, n: int) -> Counts:
    """Return a rows × clusters matrix with a one in the cluster of each row."""
    return sp.csr_array((np.ones(len(labels)), labels, np.arange(len(labels) + 1)), shape=(len(labels), n))


def squared_distances(vectors: Floats, centres: Floats, lengths: Floats | None = None) -> Floats:
    """Return the squared distance of every row to every centre, rows × centres; `lengths` are squared row lengths.

    |x − c|² = |x|² − 2 x·c + |c|², in one array.
    """
    found: Floats = vectors @ (-2.0 * centres.T)
    found += ((vectors**2).sum(axis=1) if lengths is None else lengths)[:, None]
    found += (centres**2).sum(axis=1)
    return np.maximum(found, 0.0, out=found)


K_MEANS = EM(_spread_start, _nearest, _means)
"""k-means as expectation maximisation with hard assignments."""
