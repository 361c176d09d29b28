from __future__ import annotations

import numpy as np
from tests.topics.corpora import drawn

from driftline.evaluation.prequential import prequential_score
from driftline.topics import LDA


def test_scores_come_before_learning_and_improve():
    X, _ = drawn(3000, 100, 3, 40)
    batches = [X[start : start + 100] for start in range(0, 3000, 100)]
    result = prequential_score(LDA(3, doc_topic_prior=0.2, random_state=0), iter(batches))
    assert len(result.scores) == 29
    assert result.scores[-5:].mean() > result.scores[0] + 0.1
    expected = np.average(result.scores, weights=result.n_words)
    assert np.isclose(result.running_mean[-1], expected)
    first = LDA(3, doc_topic_prior=0.2, random_state=0).partial_fit(batches[0]).score(batches[1])
    assert result.scores[0] == first


def test_the_vocabulary_may_grow_on_the_way():
    X, _ = drawn(300, 100, 3, 40)
    batches = [X[:100, :60], X[100:200, :80], X[200:]]
    model = LDA(3, random_state=0)
    assert np.isfinite(prequential_score(model, batches).scores).all()
    assert model.n_features_in_ == 100


def test_nothing_comes_of_nothing():
    assert prequential_score(LDA(3), []).scores.size == 0
