"""The resident models equal plain ones, are bounded in size, and have the same bytes after loading."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.datasets.newswire import simulate_newswire
from driftline.service.learning import learner as module
from driftline.service.learning.hourly_bursts import LEVELS, WordBurstFilter, _transitions
from driftline.service.learning.learner import Learner
from driftline.service.learning.topic_watch import TopicWatch
from driftline.service.learning.word_counter import ResidentWords
from driftline.streams.corpus import DEFAULT_TOKENIZER
from driftline.text.counts import count_words
from tests.oracles.word_burst_filter import slow_filter


@pytest.fixture(scope="module")
def wire():
    return simulate_newswire(3000, random_state=4)


def test_words_are_counted_as_by_count_words(wire):
    words = ResidentWords(DEFAULT_TOKENIZER)
    parts = [words.count(wire.texts[start : start + 300]) for start in range(0, 3000, 300)]
    expected, vocabulary = count_words(wire.texts, DEFAULT_TOKENIZER)
    rows = [
        sp.csr_matrix((part.pairs.counts, part.pairs.words, part.pairs.indptr), (300, words.n_slots)) for part in parts
    ]
    found = sp.vstack(rows, format="csr")
    order = [words.words().index(word) for word in vocabulary.words]
    assert abs(found[:, order] - expected).sum() == 0


def test_find_looks_up_and_adds_nothing():
    words = ResidentWords(DEFAULT_TOKENIZER)
    words.count(["rain and wind"])
    assert words.find(["wind", "snow", "and"]).tolist() == [1, -1, -1]
    assert words.n_slots == 2


def test_words_are_saved_and_iterated_over_without_a_python_string_of_each():
    """200,000 strings at once, in every snapshot, leave gaps that keep memory from being returned."""
    words = ResidentWords(DEFAULT_TOKENIZER)
    words.count([" ".join(f"word{k:x}" for k in range(first, first + 1000)) for first in range(0, 60_000, 1000)])
    tracemalloc.start()
    try:
        n = sum(1 for _ in words)
        body = words.to_bytes()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert n == words.n_slots == 60_000
    assert body.tobytes().decode().split("\n") == words.words() == list(words)
    assert peak < 30 * n  # a string takes 60 bytes


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
    for learner in (one, two):  # more new words than the arrays hold after loading, while no hour ends
        found = learner.learn([f"rain wind new{k} newer{k}" for k in range(700)], np.zeros(700, dtype=np.int64))
        assert found.kept is not None
    assert one.to_bytes() == two.to_bytes()


def test_a_burst_ends_in_a_time_without_documents():
    def state(empty):
        """Return the bursts after an hour that follows a burst and some hours without documents."""
        filter = WordBurstFilter()
        for hour in range(300):
            filter.close(hour, 10, np.array([0]), np.array([5]), 2)
        kinds = []
        for hour in (*range(300, 303), 303 + empty):
            now = np.array([0, 1]), np.array([5, 9]) if hour < 303 else np.array([5, 0])
            kinds += [event.kind for event in filter.close(hour, 10 if hour < 303 else 1, *now, 2) if event.slot == 1]
        return kinds

    assert state(0) == ["begins", "continues", "continues", "continues"]
    assert state(24 * 30)[-1] == "ends"


def test_a_topic_bursts_only_if_its_share_rises_too():
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(20), 9_000)  # short documents: every topic has a share in each
    shares[4_000:, 0] *= 1.3
    shares /= shares.sum(axis=1, keepdims=True)
    watch, highest = TopicWatch(20), 0.0
    for start in range(0, 9_000, 100):
        assert not watch.update(shares[start : start + 100])
        highest = max(highest, watch.above[0] if start > 2_000 else 0.0)
    assert highest >= 0.9  # the level is certain to be 2.6 times the usual one


def test_a_lasting_change_of_a_topic_becomes_usual():
    watch = TopicWatch(4)
    before, after = np.array([0.91, 0.03, 0.03, 0.03]), np.array([0.61, 0.33, 0.03, 0.03])
    rng = np.random.default_rng(0)

    def documents(shares, n):
        return 0.02 + 0.92 * np.eye(4)[rng.choice(4, n, p=shares)]

    assert not watch.update(documents(before, 6_000))
    begun = watch.update(documents(after, 1_000))
    assert [(event.topic, event.kind) for event in begun][:1] == [(1, "begins")]
    ended = watch.update(documents(after, 40_000))
    assert [(event.topic, event.kind) for event in ended if event.topic == 1][-1] == (1, "ends")
    assert watch.ratio[1] == pytest.approx(1, abs=0.4)


def test_a_watch_of_an_earlier_version_continues():
    watch = TopicWatch(3)
    watch.update(np.tile([[0.6, 0.3, 0.1]], (3_000, 1)))
    tensors = watch.tensors()
    for name in ("age", "recent_share", "usual_share"):
        del tensors[name]
    again = TopicWatch.of_tensors({**tensors, "intensity": np.array([0.6, 0.3, 0.1])})
    assert again.ratio == pytest.approx(1)
    assert not again.update(np.tile([[0.6, 0.3, 0.1]], (300, 1)))


def test_words_that_occur_together():
    learner = Learner(3)
    texts = ["storm petra", "storm petra gales", "storm rain", "rain gales", "rain"]
    learner.learn(texts, np.zeros(5, dtype=np.int64))
    storm, rain = learner.words.find(["storm", "rain"]).tolist()
    assert learner.together(storm, [["petra"], ["rain"], ["gales", "rain"], ["unknown"]]) == pytest.approx(
        [1.0, 1 / 3, 2 / 3, 0.0]
    )
    assert learner.together(rain, []) == []
    assert learner.together(-7, [["storm"]]) == [0.0]


def test_an_archive_that_arrives_later_raises_no_bursts():
    rng = np.random.default_rng(0)
    words = [f"w{k}" for k in range(200)]
    live = [" ".join(rng.choice(words, 8)) for _ in range(4_000)]
    archive = [" ".join(rng.choice([f"old{k}" for k in range(200)], 8)) for _ in range(2_000)]
    hour, now, learner = 3_600_000_000, 1_000_000 * 3_600_000_000, Learner(4)

    def bursts(texts, times):
        found = learner.learn(texts, np.asarray(times))
        events = [event for closed in found.hours for event in closed.events]
        return [event.kind for event in [*events, *found.topic_events] if event.kind == "begins"]

    for start in range(0, 4_000, 500):
        assert not bursts(live[start : start + 500], now + np.arange(start, start + 500) * hour // 10)
    late = now - 50_000 * hour + np.arange(2_000) * hour // 10
    after = [live[k] for k in range(500)]
    assert not bursts(archive + after, np.concatenate([late, now + np.arange(4_000, 4_500) * hour // 10]))
    # Documents that are a few hours late count
    begun = bursts([f"{text} storm" for text in after], now + np.arange(4_400, 4_900) * hour // 10 - 3 * hour)
    assert "begins" in begun


AHEAD = 23 * 3_600_000_000


def bursts_after_a_document_ahead(clock):
    """Return the hours, counted from the document that is ahead, in which bursts of words begin, of three in which
    every document is about a storm; `clock` makes the time now from that of a batch."""
    rng = np.random.default_rng(0)
    words = [f"w{k}" for k in range(200)]
    hour, start, learner = 3_600_000_000, 1_000_000 * 3_600_000_000, Learner(4)
    found = []
    for k in range(310):
        now = start + k * hour
        texts = [" ".join(rng.choice(words, 8)) + (" storm" if k >= 303 else "") for _ in range(20)]
        times = np.full(20, now)
        if k == 300:
            times[7] += AHEAD
        learned = learner.learn(texts, times, clock(now))
        found += [k - 300 for closed in learned.hours for event in closed.events if event.kind == "begins"]
        if k == 301:
            learner = Learner.of_bytes(learner.to_bytes())
    return found


def test_a_document_that_is_ahead_of_the_clock_keeps_no_hour_open():
    assert not bursts_after_a_document_ahead(lambda now: 2**62)  # as without a clock: all wait for its hour
    assert bursts_after_a_document_ahead(lambda now: now) == [4]


def test_an_hour_that_an_earlier_version_kept_open_is_closed():
    first = 1_000_000 * 3_600_000_000
    before = bursts_after_a_document_ahead(lambda now: now if now >= first + 302 * 3_600_000_000 else 2**62)
    assert before == [4]
