from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.streams.units import units_of
from driftline.topics.topic_cards import (
    commonest_phrase,
    example_rows,
    near_duplicates,
    share_bands,
    topic_names,
)


def test_bands_cover_the_share_when_days_are_dependent():
    """Documents of one day have the same topic: bands that treated them as independent would cover far too rarely."""
    covered = {"day": 0, "document": 0}
    for seed in range(200):
        rng = np.random.default_rng(seed)
        days = np.repeat(np.arange(60), 10).astype(float)
        topic = (rng.random(60) < 0.3)[days.astype(int)]
        shares = np.column_stack([topic, ~topic]).astype(float)
        for unit in covered:
            units = units_of(days, unit="auto" if unit == "day" else "document")
            mean, lower, upper = share_bands(shares, units)
            assert mean.sum() == pytest.approx(1.0)
            covered[unit] += lower[0] <= 0.3 <= upper[0]
    assert covered["day"] >= 180
    assert covered["document"] < 120


def test_near_duplicates_share_words():
    columns = np.array([[0, 1, 2, 3, 4], [4, 3, 9, 8, 7], [5, 6, 10, 11, 4]])
    assert near_duplicates(columns).tolist() == [[False, True, False], [True, False, False], [False, False, False]]


def test_examples_are_different_and_of_their_topic():
    X = sp.csr_array(np.array([[9, 0, 0, 1, 1], [0, 1, 1, 0, 0], [2, 1, 0, 0, 0], [0, 0, 0, 9, 9], [0, 0, 0, 0, 0]]))
    shares = np.array([[0.99, 0.01], [0.9, 0.1], [0.95, 0.05], [0.1, 0.9], [0.5, 0.5]])
    columns = np.array([[0, 1], [3, 4]])
    assert example_rows(shares, X, columns, 3).tolist() == [[2, 1, 0], [3, -1, -1]]
    assert example_rows(shares, X, np.array([[2, 1], [3, 4]]), 1).tolist() == [[1], [3]]
    shares[2] = 0.1, 0.9
    assert example_rows(shares, X, columns, 1).tolist() == [[1], [3]], "document 2 is about the other topic"


def test_examples_have_mostly_different_words():
    X = sp.csr_array(
        np.array([[1, 1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1, 1], [2, 2, 2, 2, 2, 0, 0]])
    )
    shares = np.column_stack([np.full(4, 0.9), np.full(4, 0.1)])
    columns = np.array([[0, 1], [5, 6]])
    assert example_rows(shares, X, columns, 3).tolist() == [[1, 2, -1], [-1, -1, -1]]


def test_names_do_not_begin_with_numbers():
    texts = ["30,000 people left", "the 20,000 people", "5,000 people", "COVID 19 people", "COVID 19", "covid 19 again"]
    assert commonest_phrase(texts[:3], {"000", "people", "left"}) is None
    assert commonest_phrase(texts[:3] + ["all people left"] * 3, {"000", "people", "left"}) == "people left"
    assert commonest_phrase(texts[3:], {"covid", "19"}) == "covid 19"
    counts = sp.csr_array([[1.0, 1.0, 1.0]])
    assert topic_names([["2017", "rain", "flood", "wind"]], np.ones((1, 1)), counts, None) == ["rain, flood, wind"]
    assert topic_names([["2017", "1999"]], np.ones((1, 1)), counts, None) == ["2017, 1999"]


def test_names_are_phrases_titles_or_words_and_differ():
    texts = ["Prime minister speaks", "the prime minister", "prime minister in talks"] * 3 + [
        "Flood hits town\nmore"
    ] * 9
    X = sp.csr_matrix(np.repeat([[1.0, 1, 0, 0], [0, 0, 1, 1]], 9, axis=0))
    shares = np.repeat([[0.9, 0.1], [0.1, 0.9]], 9, axis=0)
    words = [["minister", "prime"], ["flood", "town"]]
    assert topic_names(words, shares, X, texts) == ["prime minister", "Flood hits town"]
    assert topic_names(words, shares, X, None) == ["minister, prime", "flood, town"]
    assert topic_names([["a", "b"], ["a", "b", "c"]], shares, X, None)[1] != "a, b"
    same = topic_names([["x", "y", "z", "q"], ["x", "y", "z", "r"]], shares, X, None)
    assert same == ["x, y, z", "x, y, z, r"]


def test_hostile_titles_are_made_safe():
    texts = ["flood town \x1b[31m\u202e<script>\nsecond line"] * 6
    X = sp.csr_matrix(np.ones((6, 1)))
    name = topic_names([["flood", "town"]], np.ones((6, 1)), X, texts)[0]
    assert "\x1b" not in name
    assert "\u202e" not in name
    assert "\n" not in name


def test_longer_phrases_win_if_they_are_nearly_as_common():
    words = {"sierra", "leone", "outbreak"}
    assert commonest_phrase(["Sierra Leone outbreak"] * 5 + ["Sierra Leone"] * 2, words) == "sierra leone outbreak"
    assert commonest_phrase(["Sierra Leone outbreak"] * 2 + ["Sierra Leone"] * 5, words) == "sierra leone"
    assert commonest_phrase(["sierra and leone"] * 9, words) is None
    assert commonest_phrase([], words) is None
