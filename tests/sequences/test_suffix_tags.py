from __future__ import annotations

import numpy as np
import pytest

from driftline.sequences.suffix_tags import SHORTER, endings, learn_endings, tags_by_ending


def test_endings_know_capitals_and_digits():
    assert endings("Berlin")[-1] == "Arlin"
    assert endings("berlin")[-1] == "arlin"
    assert endings("a1b2")[-1] == "0a0b0"
    assert endings("") == ["a"]


def test_probabilities_are_shrunk_towards_shorter_endings():
    words = ["walking", "talking", "king", "the"]
    counts = np.array([[1.0, 0], [1, 0], [0, 2], [0, 9]])  # the last is not rare
    names, shares = learn_endings(words, counts)
    places = {name: place for place, name in enumerate(names)}
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    empty = (np.array([2.0, 2.0]) + np.array([2, 11]) / 13) / 5
    np.testing.assert_allclose(shares[places[""]], empty)
    small = (np.array([2.0, 2.0]) + SHORTER * empty) / (4 + SHORTER)
    np.testing.assert_allclose(shares[places["a"]], small)
    expected = small
    for count in ([2.0, 2.0], [2.0, 2.0], [2.0, 2.0], [2.0, 2.0]):  # -g, -ng, -ing, -king
        expected = (np.array(count) + SHORTER * expected) / (sum(count) + SHORTER)
    np.testing.assert_allclose(shares[places["aking"]], expected)
    assert "athe" not in places


def test_the_longest_known_ending_counts():
    places = {"": 0, "a": 1, "ag": 2, "ang": 3}
    assert tags_by_ending(["sing", "tag", "moo", "Moo"], places).tolist() == [3, 2, 1, 0]


def test_tags_of_unknown_words_follow_their_endings():
    words = [f"{letters}ing" for letters in ("walk", "talk", "jump")] + [f"{letters}ly" for letters in ("bad", "sad")]
    names, shares = learn_endings(words, np.array([[1.0, 0]] * 3 + [[0, 1.0]] * 2))
    places = {name: place for place, name in enumerate(names)}
    found = shares[tags_by_ending(["sailing", "madly"], places)]
    assert found[0, 0] > 0.8
    assert found[1, 1] > 0.7
    assert found.sum(axis=1) == pytest.approx([1, 1])
