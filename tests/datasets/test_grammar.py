from __future__ import annotations

import numpy as np
import pytest

from driftline.datasets.courses import change
from driftline.datasets.grammar import Grammar, Sentence, Slot, words_of


@pytest.fixture
def slots():
    return {
        "beast": Slot.ranked(["cat", "big dog"]),
        "mood": Slot.drifting({"happy": (1.0, change(3.0, day=5, width=1)), "sad": (1.0, None)}),
    }


def test_a_sentence_knows_its_slots_and_its_fixed_words():
    sentence = Sentence("the {beast} saw a {mood} {beast} today")
    assert sentence.slots == ("beast", "mood", "beast")
    assert sentence.fixed_words == ["the", "saw", "today"]
    assert sentence.pattern % ("cat", "sad", "owl") == "the cat saw a sad owl today."


def test_ranked_weights_fall_with_the_rank():
    np.testing.assert_allclose(Slot.ranked(["a", "b", "c"]).weights, np.array([6, 4, 3]) / 13)


def test_drawing_follows_the_probabilities(slots):
    random = np.random.default_rng(0)
    for slot in slots.values():
        for day in (0.0, 10.0):
            days = np.full(20_000, day)
            share = np.bincount(slot.draw(days, 1.0, random), minlength=2) / 20_000
            np.testing.assert_allclose(share, slot.probabilities(days[:1], 1.0)[0], atol=0.02)


def test_drift_nought_leaves_the_weights(slots):
    days = np.array([0.0, 100.0])
    np.testing.assert_allclose(slots["mood"].probabilities(days, 0.0), 0.5)
    assert slots["mood"].probabilities(days, 1.0)[1, 0] == pytest.approx(np.exp(3) / (1 + np.exp(3)))


@pytest.mark.parametrize("repetition", [0.0, 0.7, 1.0])
def test_expected_uses_hold_for_any_repetition(slots, repetition):
    grammar = Grammar(["a {mood} {beast} came", "the {beast} left"], slots, repetition=repetition)
    n = 20_000
    days = np.full(n, 6.0)
    documents = np.repeat(np.arange(n), 2)
    texts = grammar.write(documents, np.tile([0, 1], n), days, np.random.default_rng(1))
    expected = grammar.expected_uses(np.array([1.0, 1.0]))
    truth = dict(zip(expected.words, expected.at(days[:1])[0]))
    assert truth["came"] == truth["left"] == truth["the"] == 1.0
    assert truth["big"] == truth["dog"] == pytest.approx(2 * 0.4)
    for word, uses in truth.items():
        assert np.mean([words_of(text).count(word) for text in texts]) == pytest.approx(uses, abs=0.03)
    both = np.mean([text.count("dog") in (0, 2) for text in texts])
    assert both == pytest.approx(1 - (1 - repetition**2) * 2 * 0.4 * 0.6, abs=0.02)


def test_texts_are_joined_in_reading_order(slots):
    grammar = Grammar(["one {beast}", "nothing here"], slots)
    texts = grammar.write(np.array([0, 0, 2]), np.array([1, 0, 1]), np.zeros(3), np.random.default_rng(0))
    assert texts[0] in ("Nothing here. One cat.", "Nothing here. One big dog.")
    assert texts[1:] == ["", "Nothing here."]
