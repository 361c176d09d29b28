"""The languages of a stream are found with its first topics; no word is lost until then, and none counted wrongly."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.service.learning.learner import FIRST_FIT, Learner
from driftline.service.learning.stream_languages import languages_of, tokenizer_of
from driftline.service.store.keys import HOUR
from driftline.text.counts import count_words
from driftline.text.stop_word_lists import STOP_WORDS

GERMAN = ["Wir haben das nicht gewollt, und sie auch nicht", "Die Frage ist, was nun mit der Steuer zu tun ist"]
ENGLISH = ["The war is over and the men are home", "What is the state of the era to be called"]
SENTENCES = {("de",): GERMAN, ("en",): ENGLISH, ("en", "de"): ENGLISH + GERMAN}


def texts_of(languages: tuple[str, ...], n: int = 2 * FIRST_FIT) -> list[str]:
    """Return texts of these languages, each with a word of its own."""
    sentences = SENTENCES[languages]
    return [f"{sentences[k % len(sentences)]} thema{k % 7}x" for k in range(n)]


def learned(texts: list[str], size: int) -> tuple[Learner, dict[str, float]]:
    """Return a learner that has learned texts in batches, and its total count of every word."""
    learner = Learner(3)
    counts: dict[int, int] = {}
    for start in range(0, len(texts), size):
        part = texts[start : start + size]
        batch = learner.learn(part, np.arange(start, start + len(part)) * HOUR // 100)
        earlier = [] if batch.earlier is None else batch.earlier.slots.tolist()
        for slot in [*earlier, *batch.counted.pairs.words.tolist()]:
            counts[slot] = counts.get(slot, 0) + 1
    return learner, dict(zip(learner.words.words(), (counts[slot] for slot in range(learner.words.n_slots))))


@pytest.mark.parametrize("size", [1, 90, FIRST_FIT, 2 * FIRST_FIT])
@pytest.mark.parametrize("languages", list(SENTENCES))
def test_words_are_those_of_the_languages_that_are_found(languages, size):
    texts = texts_of(languages)
    learner, counts = learned(texts, size)
    assert set(learner.languages) == set(languages)
    X, vocabulary = count_words(texts, tokenizer_of(languages))
    assert counts == dict(zip(vocabulary.words, np.asarray((X > 0).sum(axis=0)).ravel().tolist()))
    assert not any(word in STOP_WORDS[code] for word in counts for code in languages)
    if languages == ("en",):
        assert counts["war"] == len(texts) / 2  # a function word of German


def test_hours_before_the_first_topics_have_all_words():
    texts = texts_of(("en",))
    one, many = Learner(3), Learner(3)
    hours = np.arange(len(texts)) * HOUR // 100
    together = one.learn(texts, hours).hours
    apart = [
        hour
        for start in range(0, len(texts), 50)
        for hour in many.learn(texts[start : start + 50], hours[start : start + 50]).hours
    ]
    assert [(hour.hour, hour.n) for hour in apart] == [(hour.hour, hour.n) for hour in together]
    assert not [event for hour in apart for event in hour.events]
    slots = many.words.find(one.words.words())
    assert np.array_equal(many._hour_counts[slots], one._hour_counts[: one.words.n_slots])


def test_the_languages_are_kept_with_the_models():
    texts = texts_of(("de",))
    one, _ = learned(texts[:600], 200)
    two = Learner.of_bytes(one.to_bytes())
    assert two.languages == ("de",)
    for learner in (one, two):
        learner.learn(["und das ist nicht zu haben, aber Steuern"], np.array([20 * HOUR]))
    assert two.to_bytes() == one.to_bytes()
    assert two.words.find(["und", "steuern"]).tolist() == [-1, two.words.n_slots - 1]


def test_texts_without_a_language_are_read_as_english():
    assert languages_of(["404 7f3a", "12:30"]) == ("en",)
    assert tokenizer_of(languages_of([])) == tokenizer_of(["en"])
