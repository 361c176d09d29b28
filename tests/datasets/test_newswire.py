from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftline.core.errors import InvalidInput
from driftline.datasets import simulate_newswire
from driftline.datasets.grammar import words_of
from driftline.datasets.newswire import TOPICS


@pytest.fixture(scope="module")
def wire():
    return simulate_newswire(6000)


def test_the_same_seed_gives_the_same_stories_and_another_seed_others(wire):
    again, other = simulate_newswire(6000), simulate_newswire(6000, random_state=1)
    assert again.texts == wire.texts
    assert (again.times == wire.times).all()
    assert (again.labels == wire.labels).all()
    assert other.texts != wire.texts


def test_stories_are_in_order_of_time_and_fill_the_year(wire):
    assert (np.diff(wire.times) >= np.timedelta64(0, "s")).all()
    assert wire.times[0] >= np.datetime64("2025-01-01")
    assert wire.times[-1] < np.datetime64("2026-01-01")
    assert len(np.unique(wire.times.astype("datetime64[D]"))) > 360


def test_texts_look_like_sentences(wire):
    for text in wire.texts[:500]:
        assert text[0].isupper()
        assert text.endswith(".")
        assert 1 <= text.count(".") <= 3
        assert "{" not in text
        assert "%" not in text
    assert not any(character.isdigit() or character == "'" for character in "".join(wire.texts))


def test_label_noise_is_as_asked_and_the_truth_is_kept(wire):
    assert set(wire.true_labels) == set(TOPICS) == set(wire.labels)
    assert (wire.labels != wire.true_labels).mean() == pytest.approx(0.05, abs=0.01)
    clean = simulate_newswire(300, label_noise=0.0)
    assert (clean.labels == clean.true_labels).all()


def test_probabilities_sum_to_one_and_match_what_is_written():
    wire = simulate_newswire(40_000, random_state=3, repetition=0.0)
    words = wire.expected.words
    half = np.datetime64("2025-07-01")
    for kept in (wire.times < half, wire.times >= half):
        counts = Counter(word for i in np.flatnonzero(kept) for word in words_of(wire.texts[i]))
        assert set(counts) <= set(words)
        observed = np.array([counts[word] for word in words], dtype=float)
        truth = wire.probabilities(words, wire.times[kept][::20])
        np.testing.assert_allclose(truth.sum(axis=1), 1.0)
        expected = truth.mean(axis=0) * observed.sum()
        scores = (observed - expected) / np.sqrt(expected)
        assert np.abs(scores[expected > 20]).max() < 5.5
        assert scores[expected > 20].std() < 1.2


def test_probabilities_among_a_vocabulary_are_those_of_the_rest_of_the_text(wire):
    everything = wire.probabilities(["nova", "the"], ["2025-03-01", "2025-10-01"])
    without = [word for word in wire.expected.words if word != "the"]
    rest = wire.probabilities(["nova", "never"], ["2025-03-01", "2025-10-01"], vocabulary=[*without, "unheard"])
    np.testing.assert_allclose(rest[:, 0], everything[:, 0] / (1 - everything[:, 1]))
    assert (rest[:, 1] == 0).all()


def test_steady_words_are_exactly_steady_and_changed_words_change(wire):
    days = wire.start + np.arange(0, 365, 5).astype("timedelta64[D]")
    steady = wire.probabilities(wire.steady_words, days)
    np.testing.assert_allclose(steady, np.broadcast_to(steady[0], steady.shape), rtol=1e-9)
    changed = wire.probabilities(wire.changed_words, days)
    assert (changed.max(axis=0) > 3 * changed.min(axis=0)).all()
    assert not set(wire.steady_words) & set(wire.changed_words)
    assert {"orbit", "nova", "petra", "election", "quarantine", "snow", "inflation"} <= set(wire.changed_words)
    assert {"the", "said", "strong"} <= set(wire.steady_words)


def test_without_drift_nothing_changes_and_nothing_bursts():
    wire = simulate_newswire(50, drift=0.0)
    assert wire.changed_words == []
    assert wire.bursts == []
    assert wire.steady_words == wire.expected.words


def test_events_lift_their_words_and_the_volume(wire):
    for burst in wire.bursts:
        inside = (wire.times >= burst.start) & (wire.times < burst.end)
        per_day = inside.sum() / ((burst.end - burst.start) / np.timedelta64(1, "D"))
        assert per_day > 1.15 * (~inside).sum() / 335
        for word in burst.words:
            uses = np.array([words_of(text).count(word) for text in wire.texts])
            assert uses[inside].mean() > 3 * uses[~inside].mean(), word
    assert [burst.topic for burst in wire.bursts] == ["weather", "health", "politics"]
    assert "petra" in wire.bursts[0].words


def test_repetition_makes_words_clump():
    def clumping(wire):
        uses = np.array([[words_of(text).count(word) for word in ("football", "nova", "rain")] for text in wire.texts])
        return (uses**2).sum() / uses.sum()

    assert clumping(simulate_newswire(3000, repetition=0.9)) > clumping(simulate_newswire(3000, repetition=0.0)) + 0.2


def test_the_file_holds_every_story_and_every_broken_record(wire, tmp_path):
    lines = wire.write(tmp_path / "wire.jsonl").read_bytes().splitlines()
    assert len(lines) == len(wire) + wire.n_broken == 6007
    good = []
    for line in lines:
        try:
            record = json.loads(line)
            np.datetime64(record["time"].removesuffix("Z"))
        except (ValueError, TypeError, KeyError):
            continue
        good.append(record)
    assert [record["text"] for record in good] == wire.texts
    assert [record["label"] for record in good] == wire.labels.tolist()
    stamps = np.array([record["time"].removesuffix("Z") for record in good], dtype="datetime64[us]")
    assert (stamps == wire.times).all()


def test_the_year_may_begin_on_any_day():
    wire = simulate_newswire(400, start="1999-03-01", n_broken=0)
    assert wire.times.min() >= np.datetime64("1999-03-01")
    assert wire.times.max() < np.datetime64("2000-02-29")
    weekdays = (wire.times.astype("datetime64[D]").astype(int) + 3) % 7
    assert (weekdays < 5).mean() > 5 / 7


@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 30), n_broken=st.integers(0, 9), seed=st.integers(0, 2**20))
def test_any_small_newswire_can_be_made_and_written(n, n_broken, seed, tmp_path_factory):
    wire = simulate_newswire(n, random_state=seed, n_broken=n_broken)
    assert len(wire) == len(wire.ids) == len(wire.times) == len(wire.labels) == n
    path = wire.write(tmp_path_factory.mktemp("wire") / "wire.jsonl")
    assert path.read_bytes().count(b"\n") == n + n_broken


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_documents": 0},
        {"n_broken": -1},
        {"drift": 1.5},
        {"repetition": -0.1},
        {"label_noise": 2},
        {"start": "tomorrow"},
    ],
)
def test_impossible_wishes_are_refused(wrong):
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        simulate_newswire(**wrong)
