import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import evolving as oracle

from driftline.evolving.pool.propagation import N_TERMS, Propagation


def graph(seed=0, n=40):
    X = np.random.default_rng(seed).poisson(0.5, (n, 15)).astype(float)
    X[3] = 0.0
    return oracle.graph(X, 4, "cosine_squared")


def inverse(W, strength):
    degrees = W.sum(axis=1)
    root = np.where(degrees > 0, 1 / np.sqrt(np.where(degrees > 0, degrees, 1)), 0.0)
    S = root[:, None] * W * root + np.diag(degrees == 0)
    return (1 - strength) * np.linalg.inv(np.eye(len(W)) - strength * S)


@pytest.mark.parametrize("strength", [0.0, 0.2, 0.5])
def test_is_close_to_the_inverse(strength):
    W = graph()
    values = np.random.default_rng(1).normal(size=(len(W), 2))
    found = Propagation(sp.csr_matrix(W), strength).smooth(values)
    lost = strength ** (N_TERMS + 1)
    np.testing.assert_allclose(found, inverse(W, strength) @ values, atol=4 * np.abs(values).max() * lost + 1e-12)


def test_minimises_the_smoothness_objective():
    W, strength = graph(), 0.4
    P = inverse(W, strength)
    degrees = np.where(W.sum(axis=1) > 0, W.sum(axis=1), 1.0)
    S = W / np.sqrt(np.outer(degrees, degrees)) + np.diag(W.sum(axis=1) == 0)
    g = np.random.default_rng(2).normal(size=len(W))
    gradient = 2 * (P @ g - g) + 2 * strength / (1 - strength) * (np.eye(len(W)) - S) @ (P @ g)
    np.testing.assert_allclose(gradient, 0, atol=1e-12)


def test_rows_are_those_of_the_matrix():
    W = sp.csr_matrix(graph())
    P = Propagation(W, 0.7)
    whole = P.smooth(np.eye(W.shape[0]))
    rows = P.rows(np.array([5, 3, 5, 0]))
    np.testing.assert_allclose(rows.toarray(), whole[[5, 3, 5, 0]], atol=0.02)
    np.testing.assert_allclose(whole, whole.T, atol=1e-12)


def test_documents_without_an_edge_keep_their_own():
    P = Propagation(sp.csr_matrix((3, 3)), 0.9)
    np.testing.assert_allclose(P.smooth(np.array([1.0, 2.0, 3.0])), [1, 2, 3])
    np.testing.assert_allclose(P.rows(np.array([1])).toarray(), [[0, 1, 0]])
