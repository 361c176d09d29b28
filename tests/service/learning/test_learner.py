"""The resident models: the same as plain ones, bounded in size, and the same bytes after loading."""

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.datasets.newswire import simulate_newswire
from driftline.service.learning import learner as module
from driftline.service.learning.hourly_bursts import LEVELS, WordBurstFilter, _transitions
from driftline.service.learning.learner import Learner
from driftline.service.learning.word_counter import ResidentWords
from driftline.streams.corpus import DEFAULT_TOKENIZER
from driftline.text.counts import count_words
from tests.oracles.word_burst_filter import slow_filter


@pytest.fixture(scope="module")
def wire():
    return simulate_newswire(3000, random_state=4)


def test_words_are_counted_as_by_count_words(wire):
    words = ResidentWords()
    parts = [words.count(wire.texts[start : start + 300]) for start in range(0, 3000, 300)]
    expected, vocabulary = count_words(wire.texts, DEFAULT_TOKENIZER)
    rows = [
        sp.csr_matrix((part.pairs.counts, part.pairs.words, part.pairs.indptr), (300, words.n_slots)) for part in parts
    ]
    found = sp.vstack(rows, format="csr")
    order = [words.words().index(word) for word in vocabulary.words]
    assert abs(found[:, order] - expected).sum() == 0


def test_find_looks_up_and_adds_nothing():
    words = ResidentWords()
    words.count(["rain and wind"])
    assert words.find(["wind", "snow", "and"]).tolist() == [1, -1, -1]
    assert words.n_slots == 2


def test_state_survives_bytes(wire):
    times = wire.times.astype(np.int64)
    one = Learner(6)
    for start in range(0, 1500, 130):
        one.learn(wire.texts[start : start + 130], times[start : start + 130])
    two = Learner.of_bytes(one.to_bytes())
    for start in range(1560, 3000, 97):
        one.learn(wire.texts[start : start + 97], times[start : start + 97])
        two.learn(wire.texts[start : start + 97], times[start : start + 97])
    assert one.to_bytes() == two.to_bytes()


def test_memory_is_bounded_and_pruning_survives_bytes(monkeypatch):
    monkeypatch.setattr(module, "MAX_WORDS", 400)
    rng = np.random.default_rng(0)
    one = Learner(3)
    two = None
    for batch in range(40):
        texts = [" ".join(f"w{w:x}" for w in rng.zipf(1.5, 8) % 300) + f" new{batch}x{k}" for k in range(50)]
        times = np.full(50, batch * 3_600_000_000)
        one.learn(texts, times)
        if two is not None:
            two.learn(texts, times)
        if batch == 14:
            two = Learner.of_bytes(one.to_bytes())
    assert one.words.n_slots <= 1.25 * 400 + 50
    assert one.topics.n_words == one.words.n_slots
    assert one.to_bytes() == two.to_bytes()


def test_topics_learn_what_partial_fit_learns():
    from driftline.inference.pairs import Pairs
    from driftline.topics import LDA
    from driftline.topics.resident import ResidentLDA

    rng = np.random.default_rng(1)
    truth = rng.dirichlet(np.full(60, 0.05), 4)
    documents = [rng.multinomial(20, truth[k % 4]) for k in range(1200)]
    X = sp.csr_matrix(np.array(documents, dtype=float))
    plain = LDA(4, random_state=0, memory=2e6).fit(X[:400])
    resident = ResidentLDA.fitted(X[:400], 4, random_state=0)
    for start in range(400, 1200, 200):
        plain.partial_fit(X[start : start + 200])
        learned = resident.learn(Pairs.of(X[start : start + 200]), 60)
    assert np.abs(resident.word_shares() - plain.components_).max() < 1e-4
    assert learned.shares == pytest.approx(plain.transform(X[1000:1200]), abs=0.12)
    assert learned.log_likelihood / learned.n_words == pytest.approx(plain.score(X[1000:1200]), abs=0.5)


def test_transitions_are_probabilities():
    matrix = _transitions()
    assert matrix.shape == (len(LEVELS), len(LEVELS))
    assert matrix.sum(axis=1) == pytest.approx(1)
    assert (matrix >= 0).all()


def test_word_filter_agrees_with_the_plain_one():
    rng = np.random.default_rng(3)
    hours = []
    for hour in range(260):
        n = int(rng.integers(5, 20))
        shares = np.array([0.5, 0.1, 0.02 if hour < 220 else 0.5, 0.01])
        hours.append((n, rng.binomial(n, shares)))
    filter = WordBurstFilter()
    found = []
    for hour, (n, counts) in enumerate(hours):
        slots = np.flatnonzero(counts)
        found += [(hour, e.slot, e.kind, e.probability) for e in filter.close(hour, n, slots, counts[slots], 4)]
    expected = slow_filter(hours)
    assert [each[:3] for each in found] == [each[:3] for each in expected]
    assert [each[3] for each in found] == pytest.approx([each[3] for each in expected], abs=1e-6)
    assert (2, "begins") in {(slot, kind) for _, slot, kind, _ in found}


def test_new_words_of_one_hour_after_loading(monkeypatch):
    monkeypatch.setattr(module, "MAX_WORDS", 2_000)
    one = Learner(3)
    texts = [f"rain wind snow sun old{k} older{k}" for k in range(600)]
    one.learn(texts, np.zeros(600, dtype=np.int64))
    two = Learner.of_bytes(one.to_bytes())
    for learner in (one, two):  # more new words than there is room for after loading, and no hour ends
        found = learner.learn([f"rain wind new{k} newer{k}" for k in range(700)], np.zeros(700, dtype=np.int64))
        assert found.kept is not None
    assert one.to_bytes() == two.to_bytes()
