"""Words may be named or numbered."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.text.vocabulary import Vocabulary
from driftline.text.word_columns import columns_of, word_at, words_at


def test_one_or_many_named_or_numbered():
    vocabulary = Vocabulary(["peace", "war"])
    assert columns_of("war", vocabulary, 2) == (np.array([1]), True)
    assert columns_of(np.int64(0), None, 2)[0].tolist() == [0]
    columns, single = columns_of(np.array(["war", "peace"]), ["peace", "war"], 2)
    assert (columns.tolist(), single) == ([1, 0], False)
    assert len(columns_of([], None, 2)[0]) == 0


@pytest.mark.parametrize(
    ("words", "vocabulary", "message"),
    [
        ("war", None, "no vocabulary"),
        ("wra", ["war"], "did you mean"),
        (2, ["war"], "there are 1 columns"),
        (-1, ["war"], "there are 1 columns"),
        ([1.5], ["war"], "not 1.5"),
    ],
)
def test_what_is_not_there_is_reported(words, vocabulary, message):
    with pytest.raises(InvalidInput, match=message):
        columns_of(words, vocabulary, 1)


def test_the_word_of_a_column():
    assert word_at(np.int64(1), Vocabulary(["peace", "war"])) == "war"
    assert word_at(1, None) == 1
    assert word_at(2, ["peace", "war"]) == 2  # a vocabulary that does not cover all columns
    assert type(word_at(np.int64(1), None)) is int


def test_words_of_several_columns():
    assert words_at(np.array([1, 2]), ["peace", "war"]) == ["war", 2]
    assert words_at([0, 1], None) == [0, 1]
