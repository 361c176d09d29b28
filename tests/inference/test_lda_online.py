from __future__ import annotations

import numpy as np
import pytest

from driftline.compute.cpu.lda_memory import aligned
from driftline.engines.threads import Threads
from driftline.inference.contract import Info
from driftline.inference.lda_online import (
    OnlineLearner,
    document_tasks,
    epochs_until,
    grid_of,
)
from driftline.inference.pairs import Pairs, document_lengths
from driftline.inference.random_chunks import LONGEST_RUN, in_runs
from driftline.inference.topic_counts import TopicCounts, nearly_even
from tests.topics.corpora import drawn


def learner_of(X, n_topics=4, engine=None):
    rng = np.random.default_rng(0)
    said = np.asarray(X.sum(axis=0)).ravel()
    topics = TopicCounts.starting(nearly_even(said, n_topics, rng, 0.2), np.full(n_topics, 0.2), 0.01)
    return OnlineLearner(topics, engine or Threads(1)), rng


def test_mass_is_kept():
    X, _ = drawn(300, 100, 4)
    learner, rng = learner_of(X)
    learner.fit(Pairs.of(X), 5, rng)
    assert abs(learner.topics.totals.sum() / X.sum() - 1) < 0.02
    np.testing.assert_allclose(learner.topics.values.sum(axis=0), learner.topics.totals, rtol=1e-4)


def test_it_ends_when_nothing_moves():
    X, _ = drawn(100, 40, 2)
    learner, rng = learner_of(X, 2)
    assert 2 <= learner.fit(Pairs.of(X), 500, rng, tolerance=0.01) < 500
    learner, rng = learner_of(X, 2)
    assert learner.fit(Pairs.of(X), 7, rng) == 7, "a tolerance of zero never ends it"
    assert epochs_until(7, 0.5).rule([Info(moved=0.0)]) is False, "the first epoch has nothing to compare with"


def test_documents_need_not_be_kept(monkeypatch):
    X, _ = drawn(300, 100, 4)
    kept, rng = learner_of(X)
    kept.fit(Pairs.of(X), 8, rng)
    monkeypatch.setattr("driftline.inference.lda_online.KEPT_BYTES", 0)
    forgetful, rng = learner_of(X)
    forgetful.fit(Pairs.of(X), 8, rng)
    a, b = (learner.topics.values[:, :4] / learner.topics.totals[:4] for learner in (kept, forgetful))
    overlap = np.array([[np.minimum(x, y).sum() for y in b.T] for x in a.T]).max(axis=1)
    assert overlap.mean() > 0.7


@pytest.mark.parametrize("n", [1, 7, 4_999, 12_345, 100_003])
def test_runs_hold_everyone_once_and_are_shuffled(n):
    order = in_runs(np.random.default_rng(0), n)
    np.testing.assert_array_equal(np.sort(order), np.arange(n))
    together = np.mean(np.diff(order) == 1) if n > 1 else 0.0
    assert together <= 1 - 1 / LONGEST_RUN + 0.01
    assert n < 10 or (order != np.arange(n)).mean() > 0.5


@pytest.mark.parametrize("n", [1, 49, 50, 333, 10_000])
def test_pieces_hold_everyone_once(n):
    np.testing.assert_array_equal(np.concatenate([np.arange(n)[piece] for piece in document_tasks(n)]), np.arange(n))


def test_lengths_are_those_of_the_documents():
    X, _ = drawn(50, 40, 2)
    pairs = Pairs.of(X)
    np.testing.assert_allclose(document_lengths(pairs), np.asarray(X.sum(axis=1)).ravel())


def test_every_word_is_learnt_once_in_any_grid(monkeypatch):
    X, _ = drawn(50, 40, 2)
    pairs = Pairs.of(X)
    for small, piece, grid in ((10**9, 10**9, 1), (10, 10**9, 2), (10, 30, 8)):
        monkeypatch.setattr("driftline.inference.lda_online.SMALL", small)
        monkeypatch.setattr("driftline.inference.lda_online.TASK_SIZE", piece)
        assert grid_of(len(pairs.words), 16) == grid
        with Threads(2) as engine:
            learner, _ = learner_of(X, 3, engine)
            before = learner.topics.values.sum(axis=1)
            rows = np.arange(50)
            old, new = (aligned((50, learner.topics.width)) for _ in range(2))
            learner.warm(pairs, rows, 2, old)
            moved = learner.learn(pairs, rows, old, new, 1.0)
        np.testing.assert_allclose(learner.topics.values.sum(axis=1) - before, X.sum(axis=0).A1, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(new.sum(axis=1), X.sum(axis=1).A1, rtol=1e-4)
        assert moved == pytest.approx(np.abs(new - old).sum(), rel=1e-4)
