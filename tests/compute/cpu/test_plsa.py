from __future__ import annotations

import numpy as np
import pytest

from driftline.compute.cpu import plsa


@pytest.mark.parametrize("temperature", [1.0, 0.6])
def test_equals_the_textbook(temperature):
    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, (4, 6)).astype(np.float64)
    theta, phi = rng.dirichlet(np.ones(3), 4), rng.dirichlet(np.ones(6), 3).T
    rows, words = np.nonzero(X)
    indptr = np.searchsorted(rows, np.arange(5))
    n_documents, n_words = np.zeros((4, 3)), np.zeros((6, 3))
    likelihood = plsa.add_pairs(
        indptr, words.astype(np.int32), X[rows, words], theta, phi, temperature, n_documents, n_words
    )
    joint = theta[:, None, :] * phi[None]
    r = joint**temperature / (joint**temperature).sum(axis=2, keepdims=True) * X[:, :, None]
    np.testing.assert_allclose(n_documents, r.sum(axis=1))
    np.testing.assert_allclose(n_words, r.sum(axis=0))
    assert likelihood == pytest.approx((X * np.log(joint.sum(axis=2))).sum())


def test_an_impossible_word_is_passed_over():
    n_documents, n_words = np.zeros((1, 1)), np.zeros((2, 1))
    arguments = np.array([0, 2]), np.array([0, 1], dtype=np.int32), np.array([1.0, 2.0])
    likelihood = plsa.add_pairs(*arguments, np.ones((1, 1)), np.array([[1.0], [0.0]]), 1.0, n_documents, n_words)
    assert likelihood == 0
    assert n_words.tolist() == [[1], [0]]
