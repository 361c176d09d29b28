from __future__ import annotations

import numpy as np
import pytest

from driftline.engines.gpu import GpuEngine
from driftline.engines.threads import Threads
from driftline.inference.learned_priors import NONE_LEARNED
from driftline.inference.pairs import Pairs
from driftline.inference.topic_counts import TopicCounts, nearly_even
from driftline.topics import LDA, surplus_topics, wide_start
from driftline.topics.lda_epochs import FROM_SAMPLE, FROM_TOPICS, learn_in_passes
from driftline.topics.surplus_topics import FROM_SURPLUS
from driftline.topics.wide_start import begin_with_many, in_pieces, largest, random_sample
from tests.topics.corpora import drawn


def started(X, n_topics, engine, seed=0):
    topics = TopicCounts.starting(np.ones((X.shape[1], n_topics), dtype=np.float32), np.full(n_topics, 0.3), 0.01)
    with engine:
        schedule = begin_with_many(topics, Pairs.of(X), engine, np.random.default_rng(seed), deterministic=True)
    return topics, schedule


def test_the_start_counts_every_word_once():
    X, _ = drawn(20, 40, 3, 30)
    topics, schedule = started(X, 3, Threads(1))
    assert schedule == FROM_TOPICS
    np.testing.assert_allclose(topics.values[:, :3].sum(axis=1), np.asarray(X.sum(axis=0)).ravel(), rtol=1e-4)


def test_the_largest_topics_stay_in_their_order():
    counts = np.array([[1.0, 5.0, 0.0, 2.0], [1.0, 0.0, 9.0, 2.0]])
    said = counts.sum(axis=1)
    kept = largest(counts, 3, said)
    np.testing.assert_allclose(kept[0], said[0] * np.array([5.0, 0.0, 2.0]) / 7, atol=1e-6)
    np.testing.assert_allclose(kept[1], said[1] * np.array([0.0, 9.0, 2.0]) / 11, atol=1e-6)


def test_words_in_no_kept_topic_are_divided_evenly():
    kept = largest(np.array([[9.0, 9.0, 0.0], [0.0, 0.0, 4.0]]), 2, np.array([18.0, 4.0]))
    np.testing.assert_allclose(kept[1], [2.0, 2.0])


def test_a_sample_has_about_as_many_pairs_as_it_may(monkeypatch):
    pairs = Pairs.of(drawn(200, 40, 3, 30)[0])
    monkeypatch.setattr(wide_start, "SAMPLE_PAIRS", len(pairs.words) // 4)
    sample = random_sample(pairs, np.random.default_rng(0))
    assert sample.n_documents == 50
    assert sample.counts.sum() < pairs.counts.sum() / 3


def test_too_many_topics_start_without_stages(monkeypatch):
    monkeypatch.setattr(wide_start, "STAGES", {5: wide_start.STAGES[2048]})
    topics, schedule = started(drawn(80, 40, 3, 30)[0], 3, Threads(1))
    assert schedule is None
    np.testing.assert_array_equal(topics.values[:, :3], 1.0)


def test_an_engine_with_memory_of_its_own_gives_the_same_bytes():
    X, _ = drawn(80, 40, 3, 30)
    expected = started(X, 3, Threads(1))[0].values.tobytes()
    assert started(X, 3, GpuEngine(device="cpu"))[0].values.tobytes() == expected


def mean_score(train, held_out, n_topics, *, wide):
    """Return the mean score of topics learned with several seeds."""
    scores = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        start = nearly_even(np.asarray(train.sum(axis=0)).ravel(), n_topics, rng, 0.2)
        topics, schedule = TopicCounts.starting(start, np.full(n_topics, 0.2), 0.01), None
        with Threads(1) as engine:
            if wide:
                schedule = begin_with_many(topics, Pairs.of(train), engine, rng, deterministic=True)
            options = {"tolerance": 0.0, "learned": NONE_LEARNED, "deterministic": True, "schedule": schedule}
            learn_in_passes(topics, Pairs.of(train), engine, rng, 22, **options)
        model = LDA(n_topics, max_epochs=1, doc_topic_prior=0.2).fit(train)
        model._word_topic_ = topics.values
        scores.append(model.score(held_out))
    return np.mean(scores)


@pytest.mark.slow
def test_themes_that_a_plain_start_merges_are_found():
    X, _ = drawn(3000, 300, 24, 40)
    train, held_out = X[:2700], X[2700:]
    assert mean_score(train, held_out, 24, wide=True) > mean_score(train, held_out, 24, wide=False) + 0.002


def test_long_documents_of_the_sample_are_divided_and_nothing_is_lost():
    pairs = Pairs.of(drawn(30, 40, 3, 60)[0])
    pieces = in_pieces(pairs, 7)
    assert np.diff(pieces.indptr).max() <= 7
    assert set(pairs.indptr) <= set(pieces.indptr)
    np.testing.assert_array_equal(pieces.words, pairs.words)
    assert in_pieces(pairs, 1000).indptr.tolist() == pairs.indptr.tolist()


def test_a_small_sample_is_followed_by_few_stepwise_epochs(monkeypatch):
    X = drawn(20, 40, 3, 30)[0]
    monkeypatch.setattr(wide_start, "SAMPLE_PAIRS", int(X.nnz * 0.2))
    assert started(X, 3, Threads(1))[1] is FROM_SAMPLE
    monkeypatch.setattr(wide_start, "STAGES", {})  # too many topics for more of them: as many, from the sample
    topics, schedule = started(X, 3, Threads(1))
    assert schedule is FROM_SAMPLE
    np.testing.assert_allclose(topics.values.sum(), X.sum(), rtol=1e-4)


@pytest.mark.parametrize(
    ("n_documents", "numbers", "schedule"),
    [(80, [6, 4, 4, 3], FROM_SURPLUS), (45, [6, 3], FROM_TOPICS), (20, [], FROM_TOPICS)],
)
def test_topics_are_merged_where_there_are_many_tokens(n_documents, numbers, schedule, monkeypatch):
    """Ten per word and topic; a sample of that is enough; a surplus is learned if there are ten of its topics, too."""
    merged = []

    def few(counts, n):
        merged.extend([counts.shape[1], n])
        return counts[:, :n]

    monkeypatch.setattr(wide_start, "merged", few)
    monkeypatch.setattr(surplus_topics, "merged", few)
    X = drawn(n_documents, 40, 3, 30)[0]
    monkeypatch.setattr(wide_start, "SAMPLE_PAIRS", X.nnz // 2)
    topics, found = started(X, 3, Threads(1))
    assert (merged, found) == (numbers, schedule)
    np.testing.assert_allclose(topics.values[:, :3].sum(axis=1), np.asarray(X.sum(axis=0)).ravel(), rtol=1e-4)


def test_a_sample_that_is_given_is_followed_by_all_documents():
    X = drawn(400, 40, 3, 30)[0]
    pairs = Pairs.of(X)
    sample, share = pairs.part(0, 100), X[:100].sum() / X.sum()
    topics = TopicCounts.starting(np.ones((40, 3), dtype=np.float32), np.full(3, 0.3), 0.01)
    options = {"share": share, "parts": [pairs], "deterministic": True}
    with Threads(1) as engine:
        schedule = begin_with_many(topics, sample, engine, np.random.default_rng(0), **options)
    assert schedule is FROM_SURPLUS
    np.testing.assert_allclose(topics.values[:, :3].sum(axis=1), np.asarray(X[:100].sum(axis=0)).ravel(), rtol=1e-4)


def test_nothing_is_merged_after_a_sample_with_as_many_topics_as_requested(monkeypatch):
    X = drawn(80, 40, 3, 30)[0]
    monkeypatch.setattr(wide_start, "SAMPLE_PAIRS", X.nnz // 2)
    monkeypatch.setattr(wide_start, "STAGES", {})
    monkeypatch.setattr(wide_start, "merged", None)
    assert started(X, 3, Threads(1))[1] is not None


@pytest.mark.slow
def test_merging_finds_themes_that_the_largest_topics_lack(monkeypatch):
    X, truth = drawn(3000, 300, 24, 40)
    truth = truth / np.linalg.norm(truth, axis=1, keepdims=True)

    def n_found(merges):
        monkeypatch.setattr(wide_start, "samples", lambda *_: merges)
        found = 0
        for seed in range(3):
            counts = started(X, 24, Threads(1), seed)[0].values[:, :24].T
            found += int(((counts / np.linalg.norm(counts, axis=1, keepdims=True)) @ truth.T > 0.8).any(axis=0).sum())
        return found

    assert n_found(True) > n_found(False)
