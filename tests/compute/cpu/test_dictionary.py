from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.oracles import local_context as oracle

from driftline.coding.local_contexts import arrays_of
from driftline.compute.cpu.dictionary import project_rows, sweep_topics


@settings(max_examples=50, deadline=None)
@given(arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 7)), elements=st.floats(-5, 5)))
def test_projection_is_the_nearest_point_of_the_simplex(rows):
    expected = np.array([oracle.nearest_on_simplex(row) for row in rows])
    project_rows(rows)
    np.testing.assert_allclose(rows, expected, atol=1e-9)


def swept(topics, codes, contexts, least=0.0):
    n_topics, n_words = topics.shape
    shares = topics.copy()
    words = np.tile(np.arange(n_words, dtype=np.int32), (n_topics, 1))
    sizes = np.full(n_topics, n_words)
    pairs, seen = sp.csr_matrix(codes.T @ codes), sp.csr_matrix(codes.T @ contexts)
    sweep_topics(shares, sizes, words, arrays_of(pairs), arrays_of(seen), n_words, least)
    dense = np.zeros_like(topics)
    for j in range(n_topics):
        dense[j, words[j, : sizes[j]]] = shares[j, : sizes[j]]
    return dense


@pytest.mark.parametrize("seed", range(5))
def test_a_sweep_is_exact_block_coordinate_descent(seed):
    rng = np.random.default_rng(seed)
    topics, contexts = rng.dirichlet(np.ones(6), 4), rng.dirichlet(np.ones(6), 20)
    codes = np.maximum(rng.normal(size=(20, 4)), 0)
    expected = topics.copy()
    for j in range(4):
        others = codes @ expected - np.outer(codes[:, j], expected[j])
        best = codes[:, j] @ (contexts - others) / (codes[:, j] @ codes[:, j])
        expected[j] = oracle.nearest_on_simplex(best)
    found = swept(topics, codes, contexts)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    loss = lambda D: ((contexts - codes @ D) ** 2).sum()
    assert loss(found) <= loss(topics)


def test_small_shares_are_pruned_and_the_rest_sums_to_one():
    rng = np.random.default_rng(0)
    topics, contexts = rng.dirichlet(np.ones(40), 3), rng.dirichlet(np.full(40, 0.2), 50)
    found = swept(topics, np.abs(rng.normal(size=(50, 3))), contexts, least=0.03)
    assert found[found > 0].min() >= 0.03
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_an_unused_topic_stays():
    topics, contexts = np.eye(3), np.full((4, 3), 1 / 3)
    codes = np.array([[1.0, 0, 0]] * 4)
    np.testing.assert_array_equal(swept(topics, codes, contexts)[1:], topics[1:])
