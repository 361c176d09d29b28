from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.topics import cluster_merging
from driftline.topics.cluster_merging import cluster_distances, merged_labels
from driftline.topics.view_mixture import Views
from tests.oracles import cluster_merging as oracle
from tests.topics.test_view_mixture import drawn


def groups(labels):
    return {frozenset(np.flatnonzero(labels == k).tolist()) for k in np.unique(labels)}


@pytest.mark.parametrize("largest", [1.0, 0.35])
@pytest.mark.parametrize("dimensions", [0, 3])
@pytest.mark.parametrize("seed", [4, 5])
def test_mergers_equal_the_oracle(dimensions, largest, seed):
    X, vectors, _ = drawn(seed, n=40, dimensions=dimensions)
    labels = np.random.default_rng(1).integers(0, 9, 40)
    found = merged_labels(Views(X, vectors), labels, 3, largest=largest)
    if dimensions:
        expected = oracle.merged_by_distance(X.toarray().tolist(), vectors.tolist(), labels.tolist(), 3, largest)
    else:
        expected = oracle.merged_by_evidence(X.toarray().tolist(), labels.tolist(), 3, 0.1, largest)
    assert groups(found) == expected
    if largest < 1:
        assert np.bincount(found).max() <= largest * 40


def test_a_large_class_of_many_clusters_becomes_one_topic_with_vectors():
    """Ten clusters of one kind near each other, and four small ones of other kinds far away."""
    rng = np.random.default_rng(0)
    sizes = [60] * 10 + [20] * 4
    centres = np.vstack([np.eye(5)[0] + 0.25 * rng.standard_normal((10, 5)), np.eye(5)[1:]])
    labels = np.repeat(np.arange(14), sizes)
    topics = np.vstack([np.repeat(rng.dirichlet(np.full(30, 0.3), 1), 10, axis=0), rng.dirichlet(np.full(30, 0.3), 4)])
    X = sp.csr_matrix(np.array([rng.multinomial(8, topics[k]) for k in labels], dtype=float))
    vectors = centres[labels] + 0.05 * rng.standard_normal((680, 5))
    found = merged_labels(Views(X, vectors), labels, 5, largest=1.0)
    assert sorted(np.bincount(found).tolist()) == [20, 20, 20, 20, 600]


def test_identical_clusters_have_distance_zero():
    same = cluster_distances(np.ones((3, 4)), np.ones((3, 2)))
    np.testing.assert_allclose(same, 0.0, atol=1e-12)
    assert cluster_distances(np.zeros((1, 4)), np.zeros((1, 2))).shape == (1, 1)


def test_fractional_counts_need_no_table():
    counts = np.array([[0.5, 2.0], [3.0, 0.0]])
    whole = cluster_merging._log_rising(np.floor(counts), 0.3)
    assert cluster_merging._log_rising(counts, 0.3)[1].tolist() == pytest.approx(whole[1].tolist())
    assert 0 < cluster_merging._log_rising(counts, 0.3)[0, 0] + 5 < 5
