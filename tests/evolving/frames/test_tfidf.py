import numpy as np
import scipy.sparse as sp

from driftline.evolving.frames.tfidf import are_counts, document_frequencies, tfidf, unit_length


def test_a_word_counts_once_a_document():
    X = sp.csr_matrix(np.array([[3.0, 0.0, 1.0], [1.0, 0.0, 0.0]]))
    X.data[2] = 0.0  # stored, but not there
    np.testing.assert_array_equal(document_frequencies(X), [1, 0, 1])


def test_weights_by_hand():
    X = sp.csr_matrix(np.array([[2.0, 1.0], [0.0, 0.0]]))
    found = tfidf(X, np.array([4.0, 1.0]), 4).toarray()
    raw = np.array([np.log(3.0) * 1.0, np.log(2.0) * (1 + np.log(5 / 2))])
    np.testing.assert_allclose(found[0], raw / np.linalg.norm(raw), rtol=1e-14)
    np.testing.assert_array_equal(found[1], 0.0)
    np.testing.assert_array_equal(X.toarray(), [[2, 1], [0, 0]])


def test_rows_of_unit_length_or_none():
    found = unit_length(sp.csr_matrix(np.array([[3.0, 4.0], [0.0, 0.0]]))).toarray()
    np.testing.assert_allclose(found, [[0.6, 0.8], [0.0, 0.0]])


def test_counts_are_told_from_vectors():
    assert are_counts(np.array([[0, 3], [1, 0]]))
    assert are_counts(np.array([[0.0, 3.0], [1.0, 0.0]]))
    assert are_counts(sp.csr_matrix([[0.5, 0.0]]))  # weighted words
    assert not are_counts(np.array([[0.25, 3.0]]))
    assert not are_counts(np.array([[-1, 3]]))
    for form in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr"):
        assert not are_counts(sp.csr_matrix([[-0.5, 0.0]]).asformat(form))
    assert are_counts([["a", "b"]])
    assert are_counts([[1], [1, 2]])
