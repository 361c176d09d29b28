import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import evolving as oracle

from driftline.evolving.frames import neighbour_graph as neighbour_graphs
from driftline.evolving.frames.neighbour_graph import (
    cosine_neighbours,
    inverse_root,
    kernel_neighbours,
    laplacian,
    neighbour_graph,
    weighted,
)


def documents(n=60, v=25, seed=0):
    generator = np.random.default_rng(seed)
    return np.where(generator.random((n, v)) < 0.3, generator.poisson(2.0, (n, v)) + 1.0, 0.0)


@pytest.mark.parametrize("weights", ["gaussian", "cosine_squared"])
@pytest.mark.parametrize("width", [None, 0.4])
def test_is_the_plain_graph(weights, width):
    X = documents()
    found = neighbour_graph(sp.csr_matrix(X), 5, weights=weights, width=width)
    np.testing.assert_allclose(found.toarray(), oracle.graph(X, 5, weights, width), atol=1e-12)
    assert (abs(found - found.T)).max() == 0


def test_kernel_neighbours_are_those_of_the_documents():
    X = documents(40)
    found, expected = kernel_neighbours(X @ X.T, 6), cosine_neighbours(X, 6)
    np.testing.assert_allclose(found.toarray(), expected.toarray(), atol=1e-12)


def test_same_bytes_with_any_number_of_threads():
    rng = np.random.default_rng(1)
    X = sp.csr_array(np.where(rng.random((1500, 300)) < 0.05, rng.random((1500, 300)), 0.0))
    one, two = cosine_neighbours(X, 7, n_jobs=1), cosine_neighbours(X, 7, n_jobs=2)
    assert one.data.tobytes() == two.data.tobytes()
    assert one.indices.tobytes() == two.indices.tobytes()


def test_documents_without_words_have_no_edge_and_no_nan():
    X = documents()
    X[[3, 17]] = 0
    graph = neighbour_graph(X, 5)
    for L in (laplacian(graph), laplacian(graph, normalised=True)):
        assert np.isfinite(L.data).all()
        assert not L.toarray()[[3, 17]].any()


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_documents_for_an_edge(n):
    assert neighbour_graph(np.ones((n, 3)), 10).shape == (n, n)
    assert neighbour_graph(np.ones((n, 3)), 10).nnz == 0
    assert kernel_neighbours(np.ones((n, n)), 10).nnz == 0


def test_identical_documents_have_weight_one():
    graph = neighbour_graph(np.ones((4, 2)), 3)
    np.testing.assert_allclose(graph.toarray(), 1 - np.eye(4), atol=1e-12)


def test_width_of_zero_distances_makes_no_division():
    exact = sp.csr_matrix(np.array([[0.0, 1.0], [1.0, 0.0]]))
    np.testing.assert_array_equal(weighted(exact, weights="gaussian").toarray(), [[0, 1], [1, 0]])


def test_laplacians():
    W = oracle.graph(documents(), 5, "gaussian")
    degrees = W.sum(axis=1)
    np.testing.assert_allclose(laplacian(sp.csr_matrix(W)).toarray(), oracle.laplacian(W), atol=1e-12)
    scale = np.diag(degrees**-0.5)
    np.testing.assert_allclose(
        laplacian(sp.csr_matrix(W), normalised=True).toarray(), scale @ oracle.laplacian(W) @ scale, atol=1e-12
    )
    # fᵀLf is half the sum over all ordered pairs in (2): each pair counts once.
    f = np.random.default_rng(2).normal(size=len(W))
    pairs = 0.5 * sum(W[i, j] * (f[i] - f[j]) ** 2 for i in range(len(W)) for j in range(len(W)))
    np.testing.assert_allclose(f @ laplacian(sp.csr_matrix(W)) @ f, pairs, rtol=1e-12)


def test_inverse_root_of_nothing_is_nothing():
    np.testing.assert_array_equal(inverse_root(np.array([0.0, 4.0])), [0.0, 0.5])


def test_large_frames_are_searched_in_groups(monkeypatch):
    X = sp.random(90, 40, density=0.2, random_state=3, format="csr")
    whole = neighbour_graphs.cosine_neighbours(X, 5)
    assert (neighbour_graphs.neighbours_in_groups(X, 5) != whole).nnz == 0
    monkeypatch.setattr(neighbour_graphs, "LARGEST_SEARCH", 25)
    found = neighbour_graphs.neighbours_in_groups(X, 5)
    assert (found != neighbour_graphs.neighbours_in_groups(X, 5)).nnz == 0
    n_groups, components = sp.csgraph.connected_components(found, directed=False)
    assert n_groups >= 4
    assert np.bincount(components).max() <= 25
    cosines = neighbour_graphs._unit_rows(X) @ neighbour_graphs._unit_rows(X).T
    rows, columns = found.nonzero()
    np.testing.assert_allclose(found.data, np.asarray(cosines[rows, columns]).ravel(), atol=1e-12)
    for row in range(90):  # none of the others in the group is nearer
        others = np.setdiff1d(np.flatnonzero(components == components[row]), [row, *found[[row]].indices])
        assert found[[row]].nnz == 5
        assert cosines[[row]].toarray()[0, others].max(initial=0) <= found[[row]].data.min() + 1e-12
