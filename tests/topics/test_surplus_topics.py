from __future__ import annotations

import numpy as np
import pytest

from driftline.engines.gpu import GpuEngine
from driftline.engines.threads import Threads
from driftline.inference.learned_priors import NONE_LEARNED
from driftline.inference.pairs import Pairs
from driftline.inference.topic_counts import TopicCounts
from driftline.topics import surplus_topics
from driftline.topics.lda_epochs import FROM_SAMPLE, learn_in_passes
from driftline.topics.surplus_topics import learn_surplus
from tests.topics.corpora import drawn


def topics_of(counts):
    prior = np.full(counts.shape[1], 0.5 / counts.shape[1])
    return TopicCounts.starting(np.asarray(counts, dtype=np.float32), prior, 0.01)


def learned(counts, n_topics, X, engine=None, *, scale=1.0):
    topics, n = topics_of(np.ones((X.shape[1], n_topics))), len(counts.T)
    rng = np.random.default_rng(0)
    parts = [Pairs.of(X)]
    with engine or Threads(1) as engine:
        found = learn_surplus(
            np.asarray(counts, dtype=np.float32), topics, parts, engine, rng, scale=scale, deterministic=True
        )
    assert n > n_topics == found.shape[1]
    return found


def n_found(counts, truth):
    unit = [one / np.linalg.norm(one, axis=1, keepdims=True) for one in (np.asarray(counts).T, truth)]
    return int(((unit[0] @ unit[1].T).max(axis=0) > 0.9).sum())


@pytest.fixture(scope="module")
def corpus():
    return drawn(600, 60, 6, 60, seed=3)


@pytest.fixture(scope="module")
def start(corpus):
    """A start that lacks a theme: two share a topic, and one is in two."""
    X, truth = corpus
    words = np.asarray(X.sum(axis=0)).ravel()
    themes = [truth[0] + truth[1], truth[2], truth[2], *truth[3:]]
    return np.array(themes).T * words.sum() / 7


def test_a_theme_that_the_start_lacks_is_found(corpus, start):
    X, truth = corpus
    rng = np.random.default_rng(1)
    plain = topics_of(start)
    with Threads(1) as engine:
        options = {"tolerance": 0.0, "learned": NONE_LEARNED, "deterministic": True, "schedule": FROM_SAMPLE}
        learn_in_passes(plain, Pairs.of(X), engine, rng, 12, **options)
    surplus = rng.gamma(1.0, 1.0, (60, 2)) * start.mean()
    assert n_found(plain.values[:, :6], truth) < 6
    assert n_found(learned(np.hstack([start, surplus]), 6, X), truth) == 6


def test_every_word_is_counted_once_whatever_the_scale_of_the_start(corpus, start):
    X, _ = corpus
    many = np.hstack([start, start[:, :1]])
    for scale in (1.0, 25.0):
        found = learned(many / scale, 6, X, scale=scale)
        np.testing.assert_allclose(found.sum(axis=1), np.asarray(X.sum(axis=0)).ravel(), rtol=1e-4)


def test_an_engine_with_memory_of_its_own_gives_the_same_bytes(corpus, start):
    X, _ = corpus
    many = np.hstack([start, start[:, :1]])
    expected = learned(many, 6, X).tobytes()
    assert learned(many, 6, X, GpuEngine(device="cpu")).tobytes() == expected


def test_a_surplus_that_cannot_be_sampled_is_left_out(monkeypatch):
    monkeypatch.setattr(surplus_topics, "samples", lambda _tokens, _words, n_topics: n_topics <= 1024)
    assert [surplus_topics.with_surplus(n, 1e9, 1000) for n in (800, 819, 820, 1024)] == [1000, 1024, 820, 1024]
