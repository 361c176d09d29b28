import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances, rbf_kernel

from driftline.core.errors import InvalidInput
from driftline.evolving.paper.document_kernels import factor, form_for, kernel_matrix, kernel_scale


def documents(n=30, v=12, seed=0):
    return np.random.default_rng(seed).poisson(0.7, (n, v)).astype(float)


def test_a_singular_kernel_has_a_factor_of_its_rank():
    X = documents()
    X[5], X[7], X[9] = X[4], X[4] + X[3], 0.0
    F, pivots = factor(X @ X.T)
    assert F.shape == (30, np.linalg.matrix_rank(X))
    np.testing.assert_allclose(F @ F.T, X @ X.T, atol=1e-10)
    assert len(set(pivots.tolist())) == F.shape[1]


def test_coordinates_and_expansions_are_those_of_one_function():
    X = documents()
    K = X @ X.T
    found = factor(K)
    w = np.random.default_rng(1).normal(size=(12, 2))
    theta = found.coordinates(X @ w)
    np.testing.assert_allclose(found.features @ theta, X @ w, atol=1e-9)
    alpha = found.expansion(theta)
    np.testing.assert_allclose(K[:, found.pivots] @ alpha, X @ w, atol=1e-9)
    # The squared norm in the kernel's space, both ways.
    norm = np.einsum("ic,ij,jc->c", alpha, K[np.ix_(found.pivots, found.pivots)], alpha)
    np.testing.assert_allclose((theta**2).sum(axis=0), norm, rtol=1e-8)


@pytest.mark.parametrize("kernel", [np.zeros((0, 0)), np.zeros((3, 3))])
def test_no_direction_at_all(kernel):
    found = factor(kernel)
    assert found.features.shape == (len(kernel), 0)
    assert found.coordinates(np.zeros((len(kernel), 2))).shape == (0, 2)
    assert found.expansion(np.zeros((0, 2))).shape == (0, 2)


def test_kernels_are_scikit_learns():
    X, Y = documents(), documents(4, seed=1)
    np.testing.assert_allclose(kernel_matrix("linear", X, Y, 1.0), X @ Y.T)
    np.testing.assert_allclose(
        kernel_matrix("cosine", sp.csr_matrix(X), sp.csr_matrix(Y), 1.0), cosine_similarity(X, Y)
    )
    np.testing.assert_allclose(kernel_matrix("rbf", X, Y, 0.3), rbf_kernel(X, Y, 0.3))
    assert kernel_matrix("rbf", X, Y[:0], 0.3).shape == (30, 0)


def test_scale_is_one_over_the_mean_squared_distance():
    X = documents()
    mean = (euclidean_distances(X) ** 2).mean()
    np.testing.assert_allclose([kernel_scale(X), kernel_scale(sp.csr_matrix(X))], 1 / mean)
    assert kernel_scale(np.ones((3, 2))) == kernel_scale(np.zeros((0, 2))) == 1.0


def test_only_the_linear_kernel_has_a_primal_form():
    assert [form_for("linear", None), form_for("linear", "dual")] == ["primal", "dual"]
    assert form_for("cosine", None) == "dual"
    with pytest.raises(InvalidInput, match="'rbf' has no primal form"):
        form_for("rbf", "primal")
