"""Scores along a path of fits and variances of coefficients, against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.compute.cpu import logistic_path
from driftline.local.logistic.word_coefficients import SOLVED


@pytest.mark.parametrize("k", [1, 3])
def test_scores_by_group(k):
    rng = np.random.default_rng(k)
    X = sp.random(20, 8, density=0.5, format="csr", random_state=2)
    path = sp.random(5 * k, 8, density=0.4, format="csr", random_state=3)
    group = rng.integers(0, 5, 20)
    share = rng.uniform(size=20) * (rng.random(20) < 0.8)
    scores = np.ones((20, k))
    logistic_path.scores_by_group(
        X.indptr,
        X.indices,
        X.data,
        np.argsort(group, kind="stable"),
        group,
        share,
        path.indptr,
        path.indices,
        path.data,
        scores,
    )
    dense = path.toarray().reshape(5, k, 8)
    expected = 1 + share[:, None] * np.einsum("ip,ikp->ik", X.toarray(), dense[group])
    np.testing.assert_allclose(scores, expected, atol=1e-12)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("held", [False, True])
def test_coefficient_variances(k, held):
    rng = np.random.default_rng(k)
    n, p = 30, 4
    X = sp.random(n, p, density=0.7, format="csr", random_state=4)
    weights = rng.uniform(0.1, 1, n)
    scores = rng.normal(size=(n, k))
    ridge = np.full((p + 1, k), 0.4)
    if held:
        ridge[1] = -1.0
    rows = X.indptr.astype(np.uint64), X.indices.astype(np.uint32), X.data
    places = np.array([[0, 0], [1, k - 1], [2, k - 1], [p, 0]])
    found = logistic_path.coefficient_variances(*rows, weights, scores, ridge, places, 1e-6)

    whole = np.column_stack([np.zeros(n), scores]) if k == 1 else scores
    chances = np.exp(whole) / np.exp(whole).sum(axis=1, keepdims=True)
    chances = chances[:, 1:] if k == 1 else chances
    design = np.column_stack([X.toarray(), np.ones(n)])
    H, J = np.zeros((2, (p + 1) * k, (p + 1) * k))
    for i in range(n):
        spread = np.diag(chances[i]) - np.outer(chances[i], chances[i])
        part = np.kron(np.outer(design[i], design[i]), spread)
        H += weights[i] * part
        J += weights[i] ** 2 * part
    H += np.diag(np.maximum(ridge, 0).ravel())
    free = np.flatnonzero((ridge >= 0).ravel())
    inverse = np.zeros_like(H)
    inverse[np.ix_(free, free)] = np.linalg.inv(H[np.ix_(free, free)])
    expected = np.diag(inverse @ J @ inverse)[places[:, 0] * k + places[:, 1]]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert (found[1] == 0.0) == held
    alone = [logistic_path.coefficient_variances(*rows, weights, scores, ridge, each[None], 1e-6)[0] for each in places]
    np.testing.assert_allclose(found, alone, rtol=1e-13)


@pytest.mark.parametrize("column", [0, 40, 300])
def test_the_accuracy_of_bands_is_enough(column):
    rng = np.random.default_rng(1)
    X = sp.random(200, 300, density=0.1, format="csr", random_state=1)
    rows = X.indptr.astype(np.uint64), X.indices.astype(np.uint32), X.data
    given = *rows, rng.uniform(0.1, 1, 200), rng.normal(size=(200, 3)), np.full((301, 3), 0.01), np.array([[column, 1]])
    solved, exact = (logistic_path.coefficient_variances(*given, accuracy)[0] for accuracy in (SOLVED, 1e-10))
    assert solved == pytest.approx(exact, rel=1e-3)
    assert logistic_path.coefficient_variances(*given, 0.3)[0] != pytest.approx(exact, rel=1e-3)


def test_a_held_coefficient_has_no_variance():
    X = sp.csr_matrix(np.eye(3))
    ridge = np.array([[1.0], [-1.0], [1.0], [0.0]])
    rows = X.indptr.astype(np.uint64), X.indices.astype(np.uint32), X.data
    place = np.array([[1, 0]])
    assert logistic_path.coefficient_variances(*rows, np.ones(3), np.zeros((3, 1)), ridge, place, 1e-6)[0] == 0.0
