import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.evolving import nearest

from driftline.compute.cpu.neighbours import nearest_rows


def triple(matrix):
    matrix.sort_indices()
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data


def search(X, k, is_common, first=0, last=None):
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    X = np.divide(X, lengths, out=np.zeros_like(X), where=lengths > 0)
    rare, common = sp.csr_matrix(X[:, ~is_common]), sp.csr_matrix(X[:, is_common])
    norms = np.linalg.norm(X[:, is_common], axis=1)
    return nearest_rows(
        triple(rare),
        triple(rare.tocsc()),
        triple(common),
        triple(common.tocsc()),
        norms,
        first,
        len(X) if last is None else last,
        k,
    )


def documents(seed, n, v, density=0.3):
    generator = np.random.default_rng(seed)
    return np.where(generator.random((n, v)) < density, generator.exponential(size=(n, v)), 0.0)


def assert_nearest(X, k, found):
    rows, cosines = found
    for i, expected in enumerate(nearest(X, k)):
        there = rows[i] >= 0
        assert there.sum() == len(expected)
        assert not cosines[i][~there].any()
        np.testing.assert_allclose(cosines[i][there], [cosine for cosine, _ in expected], rtol=1e-12)


@pytest.mark.parametrize("n_common", [0, 1, 5, 29, 30])
@pytest.mark.parametrize("k", [1, 4, 39])
def test_finds_what_all_pairs_give(n_common, k):
    X = documents(0, 40, 30)
    found = search(X, k, np.arange(30) < n_common)
    assert_nearest(X, k, found)
    expected = [[j for _, j in row] for row in nearest(X, k)]
    assert [[j for j in row if j >= 0] for row in found[0].tolist()] == expected


def test_bounds_and_lists_give_the_same_bytes():
    # Many documents with few common words: looking at candidates pays; with many common words the lists do.
    X = np.hstack([documents(1, 300, 12, 0.9), 3 * documents(2, 300, 200, 0.02)])
    split = search(X, 6, np.arange(212) < 12)
    plain = search(X, 6, np.arange(212) < 0)
    np.testing.assert_array_equal(split[0], plain[0])
    np.testing.assert_allclose(split[1], plain[1], rtol=1e-14)


def test_blocks_of_rows_are_independent():
    X, is_common = documents(3, 50, 20), np.arange(20) < 4
    rows, cosines = search(X, 5, is_common)
    parts = [search(X, 5, is_common, first, last) for first, last in ((0, 1), (1, 33), (33, 50))]
    np.testing.assert_array_equal(np.concatenate([part[0] for part in parts]), rows)
    np.testing.assert_array_equal(np.concatenate([part[1] for part in parts]), cosines)


def test_empty_documents_have_no_neighbours_and_are_none():
    X = documents(4, 12, 8, 0.5)
    X[[0, 5]] = 0.0
    rows, cosines = search(X, 11, np.arange(8) < 2)
    assert (rows[[0, 5]] == -1).all()
    assert not np.isin(rows[rows >= 0], [0, 5]).any()
    assert np.isfinite(cosines).all()


def test_identical_documents_go_by_their_number():
    rows, cosines = search(np.ones((6, 3)), 2, np.array([True, False, False]))
    assert rows.tolist() == [[1, 2], [0, 2], [0, 1], [0, 1], [0, 1], [0, 1]]
    np.testing.assert_allclose(cosines, 1.0, rtol=1e-15)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 25), st.integers(1, 12), st.integers(1, 6))
def test_any_small_matrix(seed, n, v, k):
    generator = np.random.default_rng(seed)
    # Whole numbers make ties and orthogonal documents common.
    X = generator.integers(0, 3, (n, v)).astype(float)
    assert_nearest(X, k, search(X, k, generator.random(v) < 0.4))
