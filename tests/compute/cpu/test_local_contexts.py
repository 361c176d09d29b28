from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles import local_context as oracle

from driftline.coding.local_contexts import kernel_weights
from driftline.compute.cpu.local_contexts import gather_contexts


def dense(documents, kernel, word_weights=(), n_words=5):
    words = np.array([word for document in documents for word in document], dtype=np.int32)
    lengths = [len(document) for document in documents]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    positions = np.array([i for length in lengths for i in range(length)], dtype=np.int64)
    indptr, indices, data = gather_contexts(
        words, offsets, positions, offsets, kernel, np.array(word_weights, dtype=np.float64)
    )
    return sp.csr_matrix((data, indices, indptr), shape=(len(positions), n_words)).toarray()


@settings(max_examples=30, deadline=None)
@given(
    documents=st.lists(st.lists(st.integers(0, 4), max_size=9), min_size=1, max_size=4),
    kernel=st.sampled_from(["gaussian", "uniform"]),
    bandwidth=st.sampled_from([0.0, 0.2, 0.7, 1.0, 2.5, 40.0]),
)
def test_contexts_are_what_their_definition_says(documents, kernel, bandwidth):
    found = dense(documents, kernel_weights(kernel, bandwidth))
    expected = [oracle.context(words, i, kernel, bandwidth, 5) for words in documents for i in range(len(words))]
    np.testing.assert_allclose(found, np.array(expected).reshape(-1, 5), atol=1e-14)


def test_words_can_count_unequally():
    found = dense([[0, 1]], np.ones(2), np.array([1.0, 3.0, 1.0, 1.0, 1.0]))
    np.testing.assert_allclose(found[0], [0.25, 0.75, 0, 0, 0])


def test_no_context_has_more_words_than_its_window():
    rng = np.random.default_rng(0)
    words = rng.integers(0, 1000, 500).astype(np.int32)
    offsets = np.array([0, 500])
    indptr, _, data = gather_contexts(
        words, offsets, np.arange(500), offsets, kernel_weights("gaussian", 2.0), np.empty(0)
    )
    assert np.diff(indptr).max() <= 6 * 2 + 1
    assert np.add.reduceat(data, indptr[:-1]) == pytest.approx(np.ones(500))
