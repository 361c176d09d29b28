from __future__ import annotations

import numpy as np
import pytest
from tests.topics.corpora import drawn

from driftline.core.errors import InvalidInput
from driftline.evaluation.perplexity import document_completion


def test_the_truth_beats_everything_else():
    X, truth = drawn(400, 80, 4, 80)
    rng = np.random.default_rng(0)
    ideal = document_completion(truth + 1e-9, X, doc_topic_prior=0.2)
    flat = document_completion(np.ones((4, 80)), X)
    assert flat.perplexity == pytest.approx(80, rel=1e-3)
    assert flat.nats_per_word == pytest.approx(np.log(flat.perplexity))
    for _ in range(3):
        other = truth + rng.dirichlet(np.full(80, 0.1), 4)
        assert document_completion(other, X, doc_topic_prior=0.2).perplexity > ideal.perplexity


def test_bad_topics_are_refused():
    for bad in (np.ones((2, 3)), np.ones(4), np.zeros((2, 4)), -np.ones((2, 4)), np.full((2, 4), np.nan)):
        with pytest.raises(InvalidInput, match="topics"):
            document_completion(bad, np.ones((3, 4)))
    assert document_completion(np.ones((2, 4)), np.zeros((3, 4))).n_words == 0
