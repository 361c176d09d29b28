from __future__ import annotations

import numpy as np
import pytest

from driftline.inference.learned_priors import NONE_LEARNED, Learned
from driftline.topics import LDA

X = np.repeat([[4, 3, 0, 0], [0, 0, 5, 2]], 10, axis=0)


@pytest.mark.parametrize(
    ("priors", "learned"),
    [
        ({}, NONE_LEARNED),
        ({"doc_topic_prior": "learned"}, Learned(document=True)),
        ({"topic_word_prior": "learned"}, Learned(word=True)),
    ],
)
def test_what_is_not_learned_stays_as_given(priors, learned):
    model = LDA(2, random_state=0, **({"doc_topic_prior": 0.5, "topic_word_prior": 0.2} | priors)).fit(X)
    assert model.learned_priors == learned
    assert (model.doc_topic_prior_ == 0.5).all() == (not learned.document)
    assert (model.topic_word_prior_ == 0.2) == (not learned.word)
