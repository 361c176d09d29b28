from __future__ import annotations

import math

import numpy as np
import pytest

from driftline.base.sequence_input import as_sequences
from driftline.coding.local_contexts import ContextMaker, inverse_document_frequency, kernel_weights, known_words
from tests.oracles import local_context as oracle

NOTHING = np.empty(0)


def contexts(documents, bandwidth, kernel="gaussian", n_words=4, weights=NOTHING, most=None):
    return ContextMaker(kernel, bandwidth, n_words, weights)(as_sequences(documents), most)


def test_a_narrow_kernel_sees_single_words():
    found = contexts([[2, 0, 1]], 0.0)
    np.testing.assert_array_equal(found.matrix.toarray(), np.eye(4)[[2, 0, 1]])


def test_an_infinite_bandwidth_sees_the_bag_once_for_all_positions():
    found = contexts([[0, 0, 1, 3], [], [2]], math.inf)
    np.testing.assert_allclose(found.matrix.toarray(), [[0.5, 0.25, 0, 0.25], [0, 0, 1, 0]])
    assert found.weights.tolist() == [4, 1]
    assert found.offsets.tolist() == [0, 1, 1, 2]
    wide = contexts([[0, 0, 1, 3]], 1e6)
    np.testing.assert_allclose(wide.matrix.toarray(), np.tile([0.5, 0.25, 0, 0.25], (4, 1)), atol=1e-9)


def test_a_document_shorter_than_the_kernel_is_renormalised():
    found = contexts([[0, 1]], 5.0)
    np.testing.assert_allclose(found.matrix.toarray()[0], oracle.context([0, 1], 0, "gaussian", 5.0, 4))
    np.testing.assert_allclose(found.matrix.sum(axis=1), 1)


def test_unknown_words_are_taken_out_before_distances_are_measured():
    found = contexts([[0, -1, 9, 1]], 1.0, kernel="uniform")
    np.testing.assert_allclose(found.matrix.toarray()[:, :2], 0.5)
    assert known_words(as_sequences([[0, -1], [7]]), 4).offsets.tolist() == [0, 1, 1]


def test_long_documents_give_evenly_spread_contexts():
    words = list(range(4)) * 25
    few, all_of_them = contexts([words, [1]], 1.0, most=10), contexts([words, [1]], 1.0)
    assert few.positions.tolist() == [*range(0, 100, 10), 0]
    np.testing.assert_array_equal(few.matrix.toarray()[:10], all_of_them.matrix.toarray()[:100:10])


def test_rare_words_can_count_more():
    weights = inverse_document_frequency(as_sequences([[0, 1], [0], [0]]), 3)
    assert weights == pytest.approx([1, math.log(2) + 1, math.log(4) + 1])
    found = contexts([[0, 1]], math.inf, weights=np.array([1.0, 3.0, 1.0, 1.0])).matrix.toarray()
    np.testing.assert_allclose(found, [[0.25, 0.75, 0, 0]])


def test_the_gaussian_ends_at_three_bandwidths():
    assert [len(kernel_weights("gaussian", h)) for h in (0.3, 0.7, 1.0, 2.0)] == [1, 3, 4, 7]


@pytest.mark.parametrize("kernel", ["gaussian", "uniform"])
def test_a_kernel_is_no_longer_than_the_longest_document(kernel):
    assert len(kernel_weights(kernel, 1e15, 7)) == 7
    wide = contexts([[0, 1, 1], [2]], 1e15, kernel=kernel).matrix.toarray()
    np.testing.assert_allclose(wide, [[1 / 3, 2 / 3, 0, 0]] * 3 + [[0, 0, 1, 0]])
