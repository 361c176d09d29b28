from __future__ import annotations

import numpy as np

from driftline.analysis.headlines.phrase_headlines import without_repeats


def kept(words, documents):
    return [words[i] for i in without_repeats(words, np.array(documents, dtype=float), np.arange(len(words)))]


def test_a_phrase_that_covers_its_words_replaces_them():
    assert kept(["hong", "hong kong", "kong"], [50, 49, 51]) == ["hong kong"]


def test_a_phrase_of_a_greater_word_is_left_to_it():
    assert kept(["anti war", "war"], [90, 480]) == ["war"]


def test_words_alone_stay_in_their_order():
    assert kept(["war", "iraq", "sars"], [3, 2, 1]) == ["war", "iraq", "sars"]
