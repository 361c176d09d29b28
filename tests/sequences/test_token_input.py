from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.sequences.token_input import as_tokens


def test_columns_and_offsets():
    tokens = as_tokens([[("a", "D"), ("dog", "N")], [], [["it", "P"]]])
    assert tokens.columns == [["a", "dog", "it"], ["D", "N", "P"]]
    assert tokens.offsets.tolist() == [0, 2, 2, 3]
    assert (len(tokens), tokens.lengths.tolist()) == (3, [2, 0, 1])
    assert as_tokens(tokens) is tokens


def test_arrays_and_nothing():
    assert as_tokens([np.array(["a", "b"])]).columns == [["a", "b"]]
    assert as_tokens([]).columns == [[]]
    assert as_tokens([], 2).columns == [[], []]


@pytest.mark.parametrize(
    "X, message",
    [
        ("abc", "not str"),
        (3, "not int"),
        (["ab"], "sentence 0 is 'ab'; pass it as a list"),
        ([["a", None]], "position 1 of sentence 0 is None"),
        ([["a"], [("b", 2)]], "position 0 of sentence 1"),
        ([["a", ("b", "c")]], "position 1 of sentence 0 has 2 columns, but the tokens before it have 1"),
        ([["a", ()]], "position 1 of sentence 0"),
        ([[b"a"]], "position 0 of sentence 0"),
        (["x" * 500], "sentence 0 is '" + "x" * 56 + "…"),
    ],
)
def test_bad_sentences_are_refused(X, message):
    with pytest.raises(InvalidInput, match=message):
        as_tokens(X)
