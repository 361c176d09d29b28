"""Sums by class and joint scores of naive Bayes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.compute.cpu import naive_bayes


def empty(n_words, n_classes):
    return np.zeros((n_words, n_classes)), np.zeros(n_classes), np.zeros(n_classes)


@pytest.fixture
def rows():
    X = sp.csr_matrix(np.random.default_rng(0).poisson(0.8, (9, 5)).astype(float))
    return X, (X.indptr, X.indices, X.data), np.array([0, 1, 0, 2, 1, 1, 0, 2, 0])


def test_add_and_clear(rows):
    X, arrays, labels = rows
    sums = empty(5, 3)
    weights = np.array([0.5, 0.0, 1.0, 0.25])
    naive_bayes.add_documents(arrays, labels, 2, weights, sums)
    indicator = np.eye(3)[labels[2:6]] * weights[:, None]
    np.testing.assert_allclose(sums[0], X[2:6].T @ indicator)
    np.testing.assert_allclose(sums[1], X[2:6].sum(axis=1).A1 @ indicator)
    np.testing.assert_allclose(sums[2], indicator.sum(axis=0))
    naive_bayes.clear_documents(arrays, 2, 6, sums)
    assert not any(part.any() for part in sums)


def test_shares_sum_to_one_and_give_back_the_whole():
    shares = np.empty(3)
    naive_bayes.class_shares(np.array([0.5, 0.0, 2.0]), np.array([3.0, 4.0, 5.0]), 2.0, shares)
    assert shares.sum() == pytest.approx(1)
    assert shares[2] > shares[0] > shares[1] > 0
    for strength in (0.0, 7.0):
        naive_bayes.class_shares(np.array([3.0, 4.0, 5.0]), np.array([3.0, 4.0, 5.0]), strength, shares)
        np.testing.assert_allclose(shares, np.array([4, 5, 6]) / 15)


def test_nothing_seen_makes_classes_and_words_alike():
    X = sp.csr_matrix(np.array([[2.0, 0.0, 1.0]]))
    sums = empty(3, 2)
    out = np.empty((1, 2))
    naive_bayes.joint_score(
        (X.indptr, X.indices, X.data), 0, -1, 0.0, sums, sums, 0.0, sums, np.array([5.0]), 0.1, 2.0, out
    )
    np.testing.assert_allclose(out, np.log(1 / 2) + 3 * np.log(1 / 3))


def test_forward_scores_take_in_what_came_before(rows):
    _, arrays, labels = rows
    strengths = np.array([1.0, 10.0])
    together = np.empty((9, 2, 3))
    totals, local = empty(5, 3), empty(5, 3)
    before = np.arange(9)
    counted = naive_bayes.joint_scores_forward(
        arrays, before, arrays, labels, (0, 0), before, local, True, totals, strengths, 0.1, 2.0, together
    )
    assert counted == (8, 8)
    for i in range(9):
        one = empty(5, 3)
        naive_bayes.add_documents(arrays, labels, 0, np.ones(i), one)
        out = np.empty((2, 3))
        naive_bayes.joint_score(arrays, i, -1, 0.0, one, one, 0.0, one, strengths, 0.1, 2.0, out)
        np.testing.assert_allclose(together[i], out)


def test_own_counts_are_taken_out(rows):
    X, arrays, labels = rows
    strengths = np.array([3.0])
    totals, local = empty(5, 3), empty(5, 3)
    naive_bayes.add_documents(arrays, labels, 0, np.ones(9), totals)
    naive_bayes.add_documents(arrays, labels, 0, np.full(9, 0.5), local)
    out = np.empty((9, 1, 3))
    naive_bayes.joint_scores(
        arrays, np.arange(9), labels, np.full(9, 0.5), local, local, np.zeros(9), totals, strengths, 0.1, 2.0, out
    )
    for i in range(9):
        kept = np.arange(9) != i
        Y = X[kept]
        others = (Y.indptr, Y.indices, Y.data)
        without, near = empty(5, 3), empty(5, 3)
        naive_bayes.add_documents(others, labels[kept], 0, np.ones(8), without)
        naive_bayes.add_documents(others, labels[kept], 0, np.full(8, 0.5), near)
        expected = np.empty((1, 3))
        naive_bayes.joint_score(arrays, i, -1, 0.0, near, near, 0.0, without, strengths, 0.1, 2.0, expected)
        np.testing.assert_allclose(out[i], expected)
