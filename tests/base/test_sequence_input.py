from __future__ import annotations

import numpy as np
import pytest

from driftline.base.sequence_input import as_sequences, as_words
from driftline.core.errors import InvalidInput
from driftline.text.sequences import TokenSequences


def test_lists_arrays_and_sequences_are_taken():
    expected = [[0, 2, -1], [], [1]]
    for given in (expected, [np.array(words, dtype=float) for words in expected]):
        assert [words.tolist() for words in as_sequences(given)] == expected
    assert as_sequences(np.array([[0, 1], [2, 0]]))[0].tolist() == [0, 1]
    ready = TokenSequences(np.array([3], dtype=np.int32), np.array([0, 1]))
    assert as_sequences(ready) is ready
    assert len(as_sequences([])) == 0


@pytest.mark.parametrize(
    "given, said",
    [
        ("words", "list of token sequences"),
        (3, "list of token sequences"),
        (["war and peace"], "document 0 is 'war and peace'"),
        ([[0], 4], "document 1 is 4"),
        ([[0, -2]], "word 1 of document 0 is -2"),
        ([[0.5]], "word 0 of document 0"),
        ([[0, np.nan]], "word 1 of document 0 is nan"),
        ([[np.inf]], "word 0 of document 0 is inf"),
        ([[2**31]], "word 0 of document 0 is 2147483648"),
        ([[0], ["a"]], "document 1 contains"),
        ([[[0, 1]]], "shape"),
        ([["a"]], "not word numbers"),
        (TokenSequences(np.array([-2], dtype=np.int32), np.array([0, 1])), "below -1"),
    ],
)
def test_anything_else_is_refused_with_its_place(given, said):
    with pytest.raises(InvalidInput, match=said):
        as_sequences(given)


def test_one_document_is_named_in_its_error():
    with pytest.raises(InvalidInput, match="the document contains"):
        as_words(["a"])
