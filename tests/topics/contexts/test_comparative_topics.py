from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.topics import ComparativeTopics, ContextualTopics


def collections(n=200, seed=0):
    """Two topics of ten words; in each, collections 0 and 1 have one word of their own."""
    rng = np.random.default_rng(seed)
    common = np.kron(np.eye(2), np.full(10, 0.1))
    words = np.zeros((2, 2, 24))
    for c in range(2):
        for k in range(2):
            words[c, k, :20] = 0.7 * common[k]
            words[c, k, 20 + 2 * c + k] = 0.3
    y = np.arange(n) % 2
    theta = rng.dirichlet([0.2, 0.2], n)
    X = sp.csr_matrix(np.array([rng.multinomial(40, t @ words[c]) for t, c in zip(theta, y)], dtype=float))
    return X, y


@pytest.mark.parametrize("model", [ComparativeTopics, ContextualTopics])
def test_common_topics_and_the_words_of_each_collection_are_recovered(model):
    model = model(2, background_weight=0.1, random_state=0)
    X, y = collections()
    model.fit(X, y)
    topics = np.argsort(-model.components_[:, 0])  # the topic of the first ten words first
    assert set(model.top_words(10)[topics[0]]) <= set(range(10)) | {20, 22}
    for c in (0, 1):
        for place, k in enumerate(topics):
            assert model.own_words(1)[c][k] == [20 + 2 * c + place]


def test_shares_of_contexts_are_recovered():
    rng = np.random.default_rng(0)
    topics = np.kron(np.eye(2), np.full(10, 0.1))
    y = np.repeat(["june", "may"], 100)
    share = np.where(y == "may", 0.8, 0.3)
    theta = np.array([rng.dirichlet([0.5 * s, 0.5 - 0.5 * s]) for s in share])
    X = np.array([rng.multinomial(20, row @ topics) for row in theta], dtype=float)
    model = ContextualTopics(2, background_weight=0.0, prior=1000.0, random_state=1).fit(X, y)
    first = int(np.argmax(model.components_[:, 0]))
    assert model.contexts_.tolist() == ["june", "may"]
    mixed = (1 - model.coverage_) * [model.document_shares_[y == c, first].mean() for c in model.contexts_]
    mixed = mixed + model.coverage_ * model.context_shares_[:, first]
    np.testing.assert_allclose(mixed, [theta[y == c, 0].mean() for c in model.contexts_], atol=0.05)


def test_without_collections_there_is_only_a_common_view():
    X, _ = collections(40)
    model = ComparativeTopics(2, random_state=0).fit(X)
    assert model.own_components_.shape == (0, 2, 24)
    assert model.own_words() == {}
