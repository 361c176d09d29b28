from __future__ import annotations

from driftline.datasets.grammar import Sentence
from driftline.datasets.newswire_changes import DRIFTING_SLOTS
from driftline.datasets.newswire_plan import SENTENCES
from driftline.datasets.newswire_words import ADJECTIVES, STEADY_SLOTS


def test_every_slot_has_words_and_every_word_list_a_slot():
    used = {name for text in SENTENCES for name in Sentence(text).slots}
    assert used == set(STEADY_SLOTS) | set(DRIFTING_SLOTS)


def test_values_are_distinct_letters_only():
    for values in STEADY_SLOTS.values():
        assert len(set(values)) == len(values) >= 8
        assert all(value.replace(" ", "").isalpha() for value in values)


def test_adjectives_go_with_the_article_a():
    assert not [word for word in ADJECTIVES if word[0] in "aeiou"]
