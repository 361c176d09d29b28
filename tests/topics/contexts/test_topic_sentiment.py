from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from driftline.topics import TopicSentiment
from driftline.topics.contexts.sentiment_em import Documents, Sentiments, begin, expect, maximise


def reviews(n=300, seed=0):
    """Two topics of ten words, eight positive and eight negative words; the first topic is mostly praised."""
    rng = np.random.default_rng(seed)
    topic = np.arange(n) % 2
    liked = rng.random(n) < np.where(topic == 0, 0.8, 0.3)
    words = np.zeros((n, 36))
    for d in range(n):
        words[d, 10 * topic[d] : 10 * topic[d] + 10] = 0.06
        words[d, 20:28] = 0.045 if liked[d] else 0.005
        words[d, 28:36] = 0.005 if liked[d] else 0.045
    return np.array([rng.multinomial(30, row / row.sum()) for row in words], dtype=float), topic, liked


@pytest.mark.parametrize("polarity", ["pseudo-labels", "learned"])
def test_polarity_of_documents_and_topics(polarity):
    X, topic, liked = reviews()
    model = TopicSentiment(2, positive=[20, 21], negative=[28, 29], polarity=polarity, random_state=0).fit(X)
    assert ((model.predict_polarity(X) > np.median(model.predict_polarity(X))) == liked).mean() > 0.8
    first = int(model.document_shares_[topic == 0].mean(axis=0).argmax())
    assert model.topic_polarity_[first] > model.topic_polarity_[1 - first] + 0.15
    by = model.polarity_by(np.where(liked, "liked", "not"))
    assert by["liked"].mean() > by["not"].mean() + 0.2


def test_expected_counts_are_those_of_enumeration():
    rng = np.random.default_rng(0)
    X = sp.csr_array(rng.poisson(1.0, (5, 6)).astype(float))
    polar = rng.dirichlet(np.ones(6), 2)
    problem = Documents(X, rng.dirichlet(np.ones(6)), polar, np.ones((2, 6)), 3, 0.2, 0.01)
    state = begin(problem, rng)
    for _ in range(3):
        counts, likelihood = expect(state, problem, rng)
        plain, objective = Sentiments(np.zeros((3, 6)), np.zeros((5, 3, 3)), np.zeros((2, 6))), 0.0
        for d in range(5):
            for w in range(6):
                parts = np.array(
                    [
                        [
                            0.8 * state.shares[d, k, s] * (state.topics[k, w] if s == 0 else state.polar[s - 1, w])
                            for s in range(3)
                        ]
                        for k in range(3)
                    ]
                )
                total = 0.2 * problem.background[w] + parts.sum()
                objective += X[d, w] * np.log(total)
                plain.shares[d] += X[d, w] * parts / total
                plain.topics[:, w] += X[d, w] * parts[:, 0] / total
                plain.polar[:, w] += X[d, w] * parts[:, 1:].sum(axis=0) / total
        for ours, theirs in zip(counts, plain):
            np.testing.assert_allclose(ours, theirs, atol=1e-12)
        assert likelihood == pytest.approx(objective)
        state = maximise(counts, state, problem)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs known words"),
        ({"positive": [0], "negative": [0]}, "both positive and negative"),
        ({"positive": [34], "negative": [35]}, "do not separate documents"),
        ({"positive": ["good"], "negative": ["bad"]}, "vocabulary"),
    ],
)
def test_bad_words_are_named(options, message):
    X = np.ones((20, 36))
    X[:, 34:] = 0
    with pytest.raises(InvalidInput, match=message):
        TopicSentiment(2, **options).fit(X)
