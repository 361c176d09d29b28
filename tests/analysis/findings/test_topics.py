import numpy as np
import pytest

from driftline.analysis.curve_times import grid
from driftline.analysis.findings.topics import describe_topics
from driftline.streams.corpus import Corpus


def test_a_topic_that_comes_and_one_that_goes_are_distinguished():
    rng = np.random.default_rng(0)
    old, new = [f"old{i}" for i in range(60)], [f"new{i}" for i in range(60)]
    late = np.linspace(0, 1, 600)
    texts = [" ".join(rng.choice(new if rng.random() < share else old, 12)) for share in late]
    times = np.datetime64("2024-01-01", "us") + np.arange(600) * np.timedelta64(12, "h")
    corpus = Corpus.from_texts(texts, times)
    found, changes, layout, *_ = describe_topics(corpus, grid(corpus.times, 20))
    assert sum(topic.share for topic in found) == pytest.approx(1, abs=1e-6)
    for topic in found:
        if topic.share < 0.1:
            continue
        wanted = "rises" if all(word.startswith("new") for word in topic.words[:4]) else "falls"
        assert topic.movement == wanted
        assert len(topic.examples) == 3
        assert topic.trend_lower <= topic.trend <= topic.trend_upper
        assert topic.trend_lower < topic.trend_upper
        assert topic.trend_lower * topic.trend_upper > 0
    assert {topic.movement for topic in found} >= {"rises", "falls"}
    for topic in found:
        assert len(topic.intensity.value) == 20
        documents = sum(burst.n_documents for burst in topic.bursts if burst.level == 1)
        assert documents <= 600
    assert len(layout.places) == sum(topic.state != "junk" for topic in found)
    assert len(layout.words) == len(found)
    own, other = ({each.word for each in layout.words[k]} & set(found[0].words) for k in (0, 1))
    assert len(own) > len(other), "both lists are in the same order"
    assert {change.kind for change in changes} <= {"born", "died", "split", "merged"}


def test_a_small_corpus_has_no_topics(corpus):
    assert describe_topics(corpus[:200], grid(corpus.times, 20))[:3] == ([], [], None)
