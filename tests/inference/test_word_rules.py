"""Rules about words in the counts of topics."""

from __future__ import annotations

import numpy as np

from driftline.inference.guide_arrays import NO_PAIRS, WordGroups
from driftline.inference.word_rules import NO_RULES, WordRules

BANNED = np.array([[0, 1], [3, 0]])
GROUPS = WordGroups((np.array([4, 0, 2]), np.array([1, 3])), np.array([[4, 1], [2, 3]]), 7.0, np.ones(5))


def test_whether_there_are_rules():
    assert not NO_RULES.any
    assert WordRules(BANNED).any
    assert WordRules(groups=GROUPS).any


def test_excluded_pairs_get_the_value_in_a_copy():
    counts = np.arange(8.0).reshape(4, 2)
    found = WordRules(BANNED).without_banned(counts, -1.0)
    np.testing.assert_array_equal(found, [[0, -1], [2, 3], [4, 5], [-1, 7]])
    assert counts[0, 1] == 1
    assert NO_RULES.without_banned(counts, -1.0) is counts


def test_rules_are_placed_at_the_slots_of_their_words():
    slots, said = np.array([2, -1, 0, 3, 1]), np.array([5.0, 6.0, 7.0, 8.0])
    found = WordRules(BANNED, GROUPS).placed(slots, said)
    np.testing.assert_array_equal(found.banned, [[2, 1], [3, 0]])
    assert [group.tolist() for group in found.groups.together] == [[0, 1, 2]]  # of the second group one word is left
    np.testing.assert_array_equal(found.groups.apart, [[0, 3]])  # word 1 has no slot
    assert found.groups.strength == 7.0
    assert found.groups.said is said


def test_pairs_of_words_without_a_slot_are_left_out():
    found = WordRules(BANNED).placed(np.array([-1, 0, 1, 2]), np.ones(3))
    np.testing.assert_array_equal(found.banned, [[2, 0]])
    assert found.groups is None
    assert len(WordRules(NO_PAIRS).placed(np.array([0]), np.ones(1)).banned) == 0
