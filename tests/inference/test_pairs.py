"""Documents as pairs of words and counts."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.inference.pairs import Pairs, document_lengths

X = sp.csr_matrix(np.array([[1, 0, 2], [0, 0, 0], [3, 4, 0], [0, 0, 5]]))


def dense(pairs):
    return sp.csr_matrix((pairs.counts, pairs.words, pairs.indptr), shape=(pairs.n_documents, 3)).toarray()


def test_types_are_those_of_the_loops():
    pairs = Pairs.of(X)
    assert [part.dtype for part in pairs] == [np.int64, np.int32, np.float32]
    assert pairs.n_documents == 4
    np.testing.assert_array_equal(dense(pairs), X.toarray())


def test_documents_in_another_order():
    for rows in ([2, 1, 0, 3], [3, 3, 1], []):
        rows = np.array(rows, dtype=np.int64)
        np.testing.assert_array_equal(dense(Pairs.of(X).take(rows)), X.toarray()[rows])


def test_consecutive_documents():
    for start, end in ((0, 4), (1, 3), (2, 2)):
        np.testing.assert_array_equal(dense(Pairs.of(X).part(start, end)), X.toarray()[start:end])


def test_lengths_are_sums_of_counts():
    np.testing.assert_array_equal(document_lengths(Pairs.of(X)), [3, 0, 7, 5])
    np.testing.assert_array_equal(document_lengths(Pairs.of(X).part(2, 4)), [7, 5])
