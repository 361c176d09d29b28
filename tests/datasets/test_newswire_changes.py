from __future__ import annotations

from itertools import pairwise

from driftline.datasets.grammar import Sentence, words_of
from driftline.datasets.newswire_changes import DRIFTING_SLOTS, EVENTS
from driftline.datasets.newswire_plan import SENTENCES
from driftline.datasets.newswire_sentences import SHARES


def test_drifting_values_are_single_words_so_that_lengths_do_not_drift():
    for choices in DRIFTING_SLOTS.values():
        for value, (weight, _) in choices.items():
            assert len(words_of(value)) == 1
            assert weight > 0


def test_events_lie_in_the_year_in_order_and_apart():
    for before, after in pairwise(EVENTS):
        assert before.last_day < after.first_day
    assert all(0 < event.first_day < event.last_day < 365 and event.topic in SHARES for event in EVENTS)


def test_every_drifting_slot_is_used_in_some_sentence():
    used = {name for text in SENTENCES for name in Sentence(text).slots}
    assert set(DRIFTING_SLOTS) <= used
