from __future__ import annotations

import numpy as np
import pytest

from driftline.topics import LDA, PLSA, MixtureOfUnigrams
from tests.topics.corpora import drawn


@pytest.mark.parametrize(
    "model", [LDA(3, random_state=0), PLSA(3, random_state=0), MixtureOfUnigrams(3, random_state=0)]
)
def test_all_models_are_scored_alike(model):
    from driftline.evaluation.perplexity import document_completion

    X, _ = drawn(120, 50, 3)
    model.fit(X[:90])
    score = document_completion(model, X[90:])
    assert model.score(X[90:]) == pytest.approx(-score.nats_per_word, rel=1e-4)
    assert model.score_samples(X[90:]).sum() == pytest.approx(-score.nats_per_word * score.n_words, rel=1e-4)
    assert model.score(X[90:]) > -np.log(50), "better than all words alike"
    assert model.get_feature_names_out().tolist() == [f"{type(model).__name__.lower()}{k}" for k in range(3)]


def test_top_words_by_name_and_by_column():
    X = np.repeat([[4, 3, 0, 0], [0, 0, 5, 2]], 10, axis=0)
    assert sorted(LDA(2, doc_topic_prior=0.1, random_state=0).fit(X).top_words(2)) == [[0, 1], [2, 3]]
    named = LDA(2, doc_topic_prior=0.1, random_state=0, vocabulary=list("abcd")).fit(X)
    assert sorted(named.top_words(1)) == [["a"], ["c"]]
