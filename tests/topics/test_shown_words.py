from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.evaluation.coherence import coherence
from driftline.topics import LDA, show_words, shown_words
from driftline.topics.word_shares import pooled_shares
from tests.oracles.topic_words import association, expected_npmi, shown, word_score


@pytest.fixture(scope="module")
def documents():
    """Documents of five topics, in which four words are common to all."""
    rng = np.random.default_rng(1)
    topics = np.vstack([rng.dirichlet(np.full(80, 0.1)) for _ in range(5)])
    topics = np.hstack([0.7 * topics, np.full((5, 4), 0.3 / 4)])
    which = rng.integers(0, 5, 400)
    X = np.array([rng.multinomial(12, topics[k]) for k in which], dtype=np.float64)
    return topics, X


def test_scores_and_associations_equal_the_oracle(documents):
    topics, X = documents
    uses = X.sum(axis=0)
    shares = pooled_shares(topics, uses)
    found = shown_words.word_scores(topics, uses)
    used = np.flatnonzero(uses > 0)
    for k, w in ((0, int(used[0])), (3, int(used[5])), (4, 83)):
        assert found[k, w] == pytest.approx(word_score(topics.tolist(), shares.tolist(), uses.tolist(), k, w))
    between = shown_words.associations(sp.csr_array(X), used[:6])
    coherent = shown_words.expected_npmi(sp.csr_array(X), used[:6])
    for a, b in ((1, 4), (0, 5)):
        assert between[a, b] == pytest.approx(association(X.tolist(), int(used[a]), int(used[b])))
        assert coherent[a, b] == pytest.approx(expected_npmi(X.tolist(), int(used[a]), int(used[b])))


def test_coherence_of_words_that_never_occur_together_and_of_words_everywhere():
    X = sp.csr_array(np.array([[1, 0, 1, 0]] * 5 + [[0, 1, 1, 0]] * 5, dtype=np.float64))
    found = shown_words.expected_npmi(X, np.arange(4))
    assert np.isfinite(found).all(), "a word in all documents, and one in none"
    assert found[0, 1] < -0.5
    assert found[0, 2] == pytest.approx(-np.exp(-5 / 3)), "five documents by chance: none of a third with e^(−5/3)"
    assert found[0, 3] == pytest.approx(-1.0)


def test_a_pair_seen_twice_is_trusted_less_than_a_pair_seen_often():
    """Two words that are in two documents, together; two that are in twenty, together."""
    X = np.zeros((200, 4))
    X[:2, :2] = X[2:22, 2:] = 1.0
    found = shown_words.expected_npmi(sp.csr_array(X), np.arange(4))
    assert found[0, 1] < 0.0 < 0.5 < found[2, 3], "the plain NPMI of both pairs is one"


def test_words_equal_the_oracle(documents):
    topics, X = documents
    shares = pooled_shares(topics, X.sum(axis=0)).tolist()
    found = show_words(topics, X, n=6)
    assert found == [shown(topics.tolist(), shares, X.tolist(), k, 6) for k in range(5)]


def test_common_words_are_replaced_and_coherence_increases(documents):
    topics, X = documents
    likeliest = np.argsort(-topics, axis=1)[:, :8]
    found = np.array(show_words(topics, X, n=8))
    assert (likeliest >= 80).sum() > 15, "common words are among the likeliest of every topic"
    assert (found >= 80).sum() < 6
    shown_topics = np.zeros_like(topics)
    np.put_along_axis(shown_topics, found, np.arange(8, 0, -1.0), axis=1)
    rng = np.random.default_rng(2)
    fresh = np.array([rng.multinomial(12, topics[k]) for k in rng.integers(0, 5, 400)])
    assert coherence(shown_topics, fresh, n_words=8).mean() > coherence(topics, fresh, n_words=8).mean()


def test_models_and_factorisations_are_accepted(documents):
    topics, X = documents
    names = [f"w{i}" for i in range(84)]
    model = LDA(5, random_state=0, vocabulary=names).fit(X)
    assert {len(words) for words in show_words(model, sp.csr_matrix(X))} == {10}
    assert all(word in names for word in show_words(model, X)[0])
    assert show_words(40.0 * topics, X) == show_words(topics, X), "the scale of rows does not matter"
    assert all(len(words) == 84 for words in show_words(topics, X, n=500)), "there are only 84 words"


def test_many_documents_are_sampled_evenly(documents, monkeypatch):
    X = documents[1]
    repeated = np.repeat(X, 2, axis=0)
    monkeypatch.setattr(shown_words, "MOST_DOCUMENTS", len(X))
    assert (
        shown_words.associations(sp.csr_array(repeated), np.arange(9))
        == shown_words.associations(sp.csr_array(X), np.arange(9))
    ).all()


def test_empty_topics_words_and_documents(documents):
    topics, X = documents
    topics = np.vstack([topics, np.zeros(84)])
    assert len(show_words(topics, X)) == 6
    assert show_words(topics, np.zeros((3, 84)))[0][:2] == [0, 1], "without documents the order of columns is as good"


@pytest.mark.parametrize(
    ("topics", "n", "match"),
    [
        (np.ones((2, 3)), 5, "84 words"),
        (np.full((2, 84), np.nan), 5, "finite"),
        (-np.ones((2, 84)), 5, "not negative"),
        (np.ones((2, 84)), 0, "at least 1"),
    ],
)
def test_bad_input_is_named(documents, topics, n, match):
    with pytest.raises(InvalidInput, match=match):
        show_words(topics, documents[1], n=n)
