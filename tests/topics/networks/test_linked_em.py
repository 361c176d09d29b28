from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.randomness import generator
from driftline.topics import NetworkPLSA, NetworkTopics
from driftline.topics.networks.neighbour_start import neighbour_start, random_start
from tests.oracles.linked_topics import averaged, step, with_prior


def sample(seed=0, D=7, V=6):
    rng = np.random.default_rng(seed)
    X = rng.poisson(1.0, (D, V)) + 1.0
    links = (rng.random((D, D)) < 0.3) * rng.uniform(0.5, 2.0, (D, D))
    np.fill_diagonal(links, 0.0)
    links[2] = links[:, 2] = 0.0  # a document without links
    return X, links


def starting(model, X, links):
    """Return the start of a fit: what zero steps would give, from the model's own generator."""
    return random_start(sp.csr_matrix(X), model.n_topics, generator(model.random_state))


def test_network_topics_are_those_of_the_definition():
    X, links = sample()
    model = NetworkTopics(3, start="random", max_steps=4, tolerance=0.0, random_state=1)
    phi, theta = starting(model, X, links)
    model.set_params(tolerance=0.0).fit(X, links=links)
    for _ in range(model.n_steps_):
        n_dk, phi_new = step(X, phi, theta, 1e-3)
        phi, theta = phi_new, with_prior(n_dk, theta, links, 20.0)
    np.testing.assert_allclose(model.components_.T, phi, rtol=1e-8)
    np.testing.assert_allclose(model.document_shares_, theta, rtol=1e-8)


def test_clusters_of_the_start_count_as_words_for_every_link():
    X, links = sample()
    model = NetworkTopics(3, max_steps=4, tolerance=0.0, start_strength=2.5, random_state=1).fit(X, links=links)
    begun = neighbour_start(sp.csr_array(X), sp.csr_array(links), 3, generator(1))
    phi, theta = begun
    own = 2.5 * (links > 0).sum(axis=1, keepdims=True) * begun.shares
    for _ in range(model.n_steps_):
        n_dk, phi_new = step(X, phi, theta, 1e-3)
        phi, theta = phi_new, with_prior(n_dk + own, theta, links, 20.0)
    np.testing.assert_allclose(model.document_shares_, theta, rtol=1e-8)
    freer = NetworkTopics(3, max_steps=4, tolerance=0.0, start_strength=0.0, random_state=1).fit(X, links=links)
    assert np.abs(freer.document_shares_ - theta).max() > 1e-4


def test_network_plsa_is_that_of_the_definition():
    X, links = sample()
    model = NetworkPLSA(3, start="random", max_steps=3, tolerance=0.0, inner_steps=4, random_state=1)
    phi, theta = starting(model, X, links)
    model.fit(X, links=links)
    for _ in range(model.n_steps_):
        n_dk, phi = step(X, phi, theta, 1e-3)
        theta = averaged(n_dk / n_dk.sum(axis=1, keepdims=True), links, 0.5, 4)
    np.testing.assert_allclose(model.components_.T, phi, rtol=1e-8)
    np.testing.assert_allclose(model.document_shares_, theta, rtol=1e-8)


@pytest.mark.parametrize("kind", [NetworkTopics, NetworkPLSA])
def test_documents_without_links_keep_their_own_shares(kind):
    X, links = sample()
    links[:] = 0.0
    strong = kind(2, strength=0.9, start="random", max_steps=5, random_state=0).fit(X, links=links)
    none = kind(2, strength=0.0, start="random", max_steps=5, random_state=0).fit(X)
    np.testing.assert_array_equal(strong.document_shares_, none.document_shares_)
    assert strong.n_links_ == 0


@pytest.mark.parametrize("kind", [NetworkTopics, NetworkPLSA])
def test_links_help_where_words_are_uninformative(kind):
    rng = np.random.default_rng(0)
    topic = np.repeat([0, 1, 2], 40)
    words = 0.4 * np.kron(np.eye(3), np.full(10, 0.1)) + 0.6 / 30
    X = np.array([rng.multinomial(8, words[k]) for k in topic], dtype=float)
    near = topic[:, None] == topic
    links = rng.random((120, 120)) < np.where(near, 0.1, 0.005)
    np.fill_diagonal(links, False)

    def purity(model):
        return np.mean([np.bincount(topic[model.labels_ == k], minlength=3).max(initial=0) for k in range(3)]) * 3 / 120

    assert purity(kind(3, random_state=0).fit(X, links=links)) > 0.85
    assert purity(kind(3, random_state=0).fit(X, links=links)) > purity(kind(3, random_state=0).fit(X)) + 0.1
