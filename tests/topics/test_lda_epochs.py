from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.engines.gpu import GpuEngine
from driftline.engines.threads import Threads
from driftline.inference.learned_priors import NONE_LEARNED, Learned
from driftline.inference.pairs import Pairs
from driftline.inference.topic_counts import TopicCounts, nearly_even
from driftline.topics import LDA
from driftline.topics.lda_epochs import Schedule, learn_in_passes, random_chunks, random_parts
from tests.topics.corpora import drawn

OPTIONS = {"tolerance": 0.0, "learned": NONE_LEARNED, "deterministic": True}


@pytest.fixture(scope="module")
def X():
    return drawn(80, 40, 3, 30)[0]


def learned(X, engine, n_epochs=3, seeds=None, **options):
    rng = np.random.default_rng(0)
    start = nearly_even(np.asarray(X.sum(axis=0)).ravel(), 3, rng, 0.3)
    topics = TopicCounts.starting(start, np.full(3, 0.5), 0.01, seeds)
    with engine:
        n_done = learn_in_passes(topics, Pairs.of(X), engine, rng, n_epochs, **(OPTIONS | options))
    return topics, n_done


def one_document_by_hand(shares, words, counts, alpha, old):
    """Return the new counts of a document and what its pairs add (Eq. 1 to 3), in double precision."""
    new, left, length = np.zeros(len(alpha)), counts.sum(), counts.sum()
    added = []
    for word, count in zip(words, counts):
        n = new + old * left / length
        guess = shares[word] * (n + alpha)
        guess /= guess.sum()
        answer = shares[word] * (np.maximum(n - guess, 0.0) + alpha)
        answer *= count / answer.sum()
        new, left = new + answer, left - count
        added.append(answer)
    return new, np.array(added)


def test_a_pass_is_what_the_equations_say():
    from driftline.compute.cpu import lda_epochs, lda_memory

    rng, n_topics = np.random.default_rng(0), 3
    width = lda_memory.padded(n_topics)
    words, counts = np.array([0, 2, 3], dtype=np.int32), np.array([2.0, 1.0, 3.0], dtype=np.float32)
    start = rng.gamma(1.0, 1.0, (4, n_topics)).astype(np.float32)
    old, alpha = rng.gamma(1.0, 1.0, n_topics), np.full(n_topics, 0.2)
    sums = lda_epochs.sums_of(start, 4, n_topics, 6.0, True)
    shares = lda_epochs.word_shares(sums, 4, n_topics, 0.01)
    lda_epochs.forget(sums, 0.0, np.empty(0, np.int64), np.empty((0, width)))
    documents = lda_memory.pad_columns(old, width)
    indptr = np.array([0, 3])
    padded_alpha = lda_memory.pad_columns(alpha, width)
    lda_epochs.learn_documents(documents, indptr, words, counts, shares, padded_alpha, sums, n_topics, 0, 0, 2.0, 0, 1)
    plain = (start + 0.01) / (start.sum(axis=0) + 0.04)
    new, added = one_document_by_hand(plain, words, counts, alpha, old)
    np.testing.assert_allclose(documents[:n_topics], new, rtol=1e-5)
    np.testing.assert_allclose(lda_epochs.counts_of(sums).reshape(4, width)[words, :n_topics], 2.0 * added, rtol=1e-5)
    np.testing.assert_allclose(lda_epochs.moved_by(sums), np.abs(new - old).sum(), rtol=1e-5)


@pytest.mark.parametrize(("most", "n_parts"), [(2**23, 1), (100, 30)])
def test_parts_contain_every_document_once_longest_first(X, most, n_parts, monkeypatch):
    monkeypatch.setattr("driftline.topics.lda_epochs.PART_PAIRS", most)
    pairs = Pairs.of(X)
    parts = random_parts(pairs, 3, np.random.default_rng(0))
    assert len(parts) == n_parts
    assert sum(part.n_documents for part in parts) == X.shape[0]
    assert sum(part.counts.sum() for part in parts) == X.sum()
    for part in parts:
        assert all(first >= second for first, second in itertools.pairwise(np.diff(part.indptr)))


@pytest.mark.parametrize("sizes", [[70], [4], [20, 20, 20]])
def test_chunks_contain_every_document_once(sizes):
    chunks = random_chunks(sizes, np.random.default_rng(0))
    seen = [(i, d) for chunk in chunks for i in chunk.parts for d in range(chunk.first, sizes[i], chunk.step)]
    assert sorted(seen) == [(i, d) for i, size in enumerate(sizes) for d in range(size)]


@pytest.mark.parametrize("most", [2**23, 100])
def test_all_words_are_counted(X, most, monkeypatch):
    monkeypatch.setattr("driftline.topics.lda_epochs.PART_PAIRS", most)
    topics, n_done = learned(X, Threads(1))
    assert n_done == 3
    np.testing.assert_allclose(topics.values.sum(), X.sum(), rtol=1e-4)


def test_it_is_as_good_as_the_online_method():
    X, _ = drawn(600, 60, 4, 40)
    train, held_out = X[:500], X[500:]
    model = LDA(4, random_state=0).fit(train)
    online = model.score(held_out)
    rng = np.random.default_rng(0)
    start = nearly_even(np.asarray(train.sum(axis=0)).ravel(), 4, rng, 0.2)
    topics = TopicCounts.starting(start, model.doc_topic_prior_, 0.01)
    with Threads(1) as engine:
        learn_in_passes(topics, Pairs.of(train), engine, rng, 25, **OPTIONS)
    model._word_topic_ = topics.values
    assert model.score(held_out) > online - 0.02


def test_seeds_stay(X):
    seeds = {5: np.array([100.0, 0.0, 0.0])}
    topics, _ = learned(X, Threads(1), n_epochs=2, seeds=seeds)
    np.testing.assert_allclose(topics.values.sum(), X.sum() + 100.0, rtol=1e-4)
    assert topics.values[5, 0] >= 100.0


def test_priors_are_learned(X):
    topics, _ = learned(X, Threads(1), n_epochs=5, learned=Learned(True, True))
    assert not np.allclose(topics.document_prior, 0.5)
    assert topics.beta != 0.01


def test_learning_stops_when_few_words_are_reassigned(X):
    assert learned(X, Threads(1), n_epochs=40, tolerance=0.5)[1] < 40


@pytest.mark.parametrize("most", [2**23, 100])
def test_an_engine_with_memory_of_its_own_gives_the_same_bytes(X, most, monkeypatch):
    monkeypatch.setattr("driftline.topics.lda_epochs.PART_PAIRS", most)
    schedule = Schedule(stepwise=2, recomputed=1, n_warm=20)  # later epochs need the counts of the one before
    expected = learned(X, Threads(1), schedule=schedule)[0].values.tobytes()
    assert learned(X, GpuEngine(device="cpu"), schedule=schedule)[0].values.tobytes() == expected
    monkeypatch.setattr("driftline.engines.gpu.RESIDENT", 0.0)
    assert learned(X, GpuEngine(device="cpu"), schedule=schedule)[0].values.tobytes() == expected


def test_counts_of_too_many_documents_are_computed_in_every_epoch(X, monkeypatch):
    always = Schedule(stepwise=3, recomputed=3, n_warm=5)
    expected = learned(X, Threads(1), n_epochs=3, schedule=always)[0].values.tobytes()
    monkeypatch.setattr("driftline.topics.lda_epochs.KEPT_BYTES", 100)
    once = Schedule(stepwise=1, recomputed=1, n_warm=20)
    assert learned(X, Threads(1), n_epochs=3, schedule=once)[0].values.tobytes() == expected
    assert learned(X, GpuEngine(device="cpu"), n_epochs=3, schedule=once)[0].values.tobytes() == expected
    topics, _ = learned(X, Threads(1), n_epochs=5, learned=Learned(True, False))  # needs them, so they are kept
    assert not np.allclose(topics.document_prior, 0.5)


def test_passes_that_sample_end_nearer_to_the_true_topics(monkeypatch):
    """Many documents of few words: what is left is the error of variational inference, which sampling does not make."""
    rng = np.random.default_rng(0)
    truth, shares = rng.dirichlet(np.full(30, 0.3), 4), rng.dirichlet(np.full(4, 0.5), 6000)
    X = sp.csr_matrix(np.array([rng.multinomial(20, row / row.sum()) for row in shares @ truth], dtype=np.float64))
    away, schedule = {}, Schedule(stepwise=1, recomputed=1, n_warm=5)
    for least in (np.inf, 10.0):
        monkeypatch.setattr("driftline.topics.lda_epochs.SAMPLED_FROM", least)
        topics = TopicCounts.starting((truth * 1000).T, np.full(4, 0.5), 0.01)
        with Threads(1) as engine:
            done = learn_in_passes(
                topics, Pairs.of(X), engine, np.random.default_rng(0), 12, **(OPTIONS | {"schedule": schedule})
            )
        assert done == (12 if least == np.inf else 9)
        found = topics.values[:, :4].T / topics.values[:, :4].sum(axis=0)[:, None]
        away[least] = np.abs(found - truth).sum(axis=1).mean()
    assert away[10.0] < 0.7 * away[np.inf], away


def test_few_epochs_sample(X, monkeypatch):
    monkeypatch.setattr("driftline.topics.lda_epochs.SAMPLED_EPOCHS", 2)
    schedule = Schedule(stepwise=1, recomputed=1, n_warm=5)
    assert learned(X, Threads(1), n_epochs=9, schedule=schedule)[1] == 3
    monkeypatch.setattr("driftline.topics.lda_epochs.SAMPLED_FROM", np.inf)
    assert learned(X, Threads(1), n_epochs=9, schedule=schedule)[1] == 9
