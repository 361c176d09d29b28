from __future__ import annotations

import numpy as np
import pytest

from driftline.analysis.findings.topic_layout import LEAST_SHARE, RELEVANCES, WORDS, describe_topic_layout
from driftline.topics import topic_distances


@pytest.fixture(scope="module")
def topics():
    return np.random.default_rng(0).dirichlet(np.full(300, 0.1), 5)


def test_the_first_words_at_any_relevance_are_kept(topics):
    shares = np.array([0.4, 0.3, 0.1, 0.1, 0.1])
    words = [f"w{i}" for i in range(300)]
    layout = describe_topic_layout(topics, shares, words)
    overall = shares @ topics
    for topic, kept in zip(topics, layout.words):
        names = {each.word for each in kept}
        for relevance in RELEVANCES:
            score = relevance * np.log(topic) + (1 - relevance) * np.log(topic / overall)
            score[topic < LEAST_SHARE] = -np.inf
            assert {f"w{i}" for i in np.argsort(-score)[:WORDS]} <= names
        assert kept[0].log_share == pytest.approx(np.log(topic.max()), rel=1e-5)
        place = words.index(kept[0].word)
        assert kept[0].log_lift == pytest.approx(np.log(topic[place] / overall[place]), rel=1e-4, abs=1e-5)


def test_places_and_mergers_are_those_of_the_topics(topics):
    layout = describe_topic_layout(topics, np.ones(5), [f"w{i}" for i in range(300)])
    assert len(layout.places) == 5
    assert 0 < layout.shown <= 1
    known = topic_distances(topics)
    nearest = layout.merges[0]
    assert known[nearest] == pytest.approx(known[~np.eye(5, dtype=bool)].min())
    assert layout.lost == sorted(layout.lost)


def test_only_the_first_topics_are_placed(topics):
    words = [f"w{i}" for i in range(300)]
    some, alone = describe_topic_layout(topics, np.ones(5), words, n_placed=3), topics[:3]
    assert some.merges == describe_topic_layout(alone, np.ones(3), words).merges
    assert some.places == describe_topic_layout(alone, np.ones(3), words).places
    assert len(some.words) == 5
    none = describe_topic_layout(topics, np.ones(5), words, n_placed=0)
    assert (none.places, none.merges, len(none.words)) == ([], [], 5)
