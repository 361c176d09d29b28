from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp

from driftline.topics import cluster_start
from driftline.topics.cluster_start import clusters, document_vectors, memberships, squared_distances, word_neighbours


def neighbours_slowly(present):
    """Return the eight nearest words of every word by NPMI, pair by pair."""
    n, n_words = present.shape
    found = []
    for v in range(n_words):
        near = []
        for w in range(n_words):
            together = int((present[:, v] * present[:, w]).sum())
            if w == v or together < 2 or together == n:
                continue
            alone = present[:, v].sum() * present[:, w].sum()
            npmi = math.log(together * n / alone) / -math.log(together / n)
            if npmi > 1e-9:
                near.append((-npmi, w))
        found.append({w for _, w in sorted(near)[:8]})
    return found


def test_neighbours_equal_the_slow_version():
    rng = np.random.default_rng(0)
    present = (rng.random((80, 25)) < 0.25).astype(float)
    present[:40, :5] = rng.random((40, 5)) < 0.7
    found = word_neighbours(sp.csr_array(present))
    slow = neighbours_slowly(present)
    assert [set(found[[v]].indices.tolist()) for v in range(25)] == slow
    assert max(len(one) for one in slow) == 8, "the limit matters here"


def test_documents_without_a_common_word_are_similar_through_neighbours():
    rows = [[1, 1, 1, 0, 0, 0, 0, 0]] * 3 + [[0, 1, 1, 1, 0, 0, 0, 0]] * 3 + [[0, 0, 0, 0, 1, 1, 1, 1]] * 6
    X = sp.csr_matrix(np.array([*rows, [1, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0, 0]], dtype=float))
    vectors = document_vectors(X, np.random.default_rng(0))
    assert vectors[-1] @ vectors[-2] > 0.1, "words 0 and 3 never meet, but both occur with 1 and 2"
    assert abs(vectors[-1] @ vectors[8]) < 1e-9


def test_clusters_are_found_and_never_worse_than_a_start():
    rng = np.random.default_rng(1)
    centres = 5 * rng.standard_normal((4, 6))
    which = rng.integers(0, 4, 200)
    vectors = centres[which] + rng.standard_normal((200, 6))
    found = clusters(vectors, 4, np.random.default_rng(0))
    assert len({(a, b) for a, b in zip(found.tolist(), which.tolist())}) == 4
    slow = np.array([[((v - c) ** 2).sum() for c in centres] for v in vectors])
    np.testing.assert_allclose(squared_distances(vectors, centres), slow)


def test_more_clusters_than_rows_and_equal_rows():
    same = np.ones((5, 2))
    assert set(clusters(same, 3, np.random.default_rng(0)).tolist()) <= {0, 1, 2}
    assert len(clusters(np.eye(2), 5, np.random.default_rng(0))) == 2


def test_many_pairs_are_sampled(monkeypatch):
    rng = np.random.default_rng(2)
    present = sp.csr_array((rng.random((200, 30)) < 0.3).astype(float))
    monkeypatch.setattr(cluster_start, "MOST_PAIRS", 4000)
    pairs = (np.diff(present.indptr) ** 2).sum()
    every = int(np.ceil(pairs / 4000))
    assert every > 1
    sampled = word_neighbours(present)
    monkeypatch.setattr(cluster_start, "MOST_PAIRS", 10**9)
    assert (sampled != word_neighbours(sp.csr_array(present[::every]))).nnz == 0


def test_memberships_have_a_one_per_row():
    assert memberships(np.array([1, 0, 1]), 2).toarray().tolist() == [[0, 1], [1, 0], [0, 1]]
