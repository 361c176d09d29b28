from __future__ import annotations

import numpy as np

from driftline.datasets.newswire_plan import SENTENCES, expected_sentences, plan_sentences
from driftline.datasets.newswire_sentences import LEADS, LENGTHS, SHARES


def test_sentences_are_used_as_often_as_expected():
    n = 60_000
    random = np.random.default_rng(0)
    topics = random.choice(len(SHARES), size=n, p=list(SHARES.values()))
    documents, sentences = plan_sentences(topics, random)
    used = np.bincount(sentences, minlength=len(SENTENCES))
    expected = expected_sentences() * n
    assert (np.abs(used - expected) < 5 * np.sqrt(expected)).all()
    assert expected_sentences().sum() == sum(length * share for length, share in LENGTHS.items())
    assert (np.diff(documents) >= 0).all()


def test_a_story_opens_with_a_lead_of_its_topic_and_never_repeats_a_sentence():
    topics = np.repeat(np.arange(len(SHARES)), 300)
    documents, sentences = plan_sentences(topics, np.random.default_rng(1))
    for document, topic in enumerate(topics):
        story = sentences[documents == document].tolist()
        assert len(set(story)) == len(story)
        assert SENTENCES[story[0]] in LEADS[list(SHARES)[topic]]
