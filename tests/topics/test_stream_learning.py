from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.streams.corpus import Corpus
from driftline.streams.stream import Stream
from driftline.topics import LDA, learn_from_stream, topic_flow

TEXTS = ["war in iraq, troops", "sars virus hospital", "iraq war tanks", "virus masks hospital"] * 30


@pytest.fixture
def stream():
    return Stream.from_documents([(str(i), f"2003-01-{1 + i % 28:02d}", text, None) for i, text in enumerate(TEXTS)])


def test_a_stream_gives_what_a_corpus_gives(stream):
    vocabulary = Corpus.from_texts(TEXTS, range(len(TEXTS))).vocabulary
    model = learn_from_stream(LDA(2, doc_topic_prior=0.1, random_state=0), stream, vocabulary)
    assert model.documents_seen_ == len(TEXTS)
    batches = list(topic_flow(model, stream))
    shares = np.concatenate([batch.shares for batch in batches])
    ids = [name for batch in batches for name in batch.ids.to_pylist()]
    corpus = Corpus.from_stream(stream, vocabulary=vocabulary)
    expected = dict(zip(corpus.ids.to_pylist(), model.transform(corpus.counts)))
    for name, row in zip(ids, shares):
        np.testing.assert_allclose(row, expected[name])
    about_war = np.array(["iraq" in TEXTS[int(name)] for name in ids])
    main = shares.argmax(axis=1)
    assert len(set(main[about_war])) == len(set(main[~about_war])) == 1
    assert main[about_war][0] != main[~about_war][0]


def test_a_vocabulary_is_needed(stream):
    model = LDA(2, random_state=0).fit(np.eye(3))
    with pytest.raises(InvalidInput, match="vocabulary"):
        next(topic_flow(model, stream))
