from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.sequences.tag_input import place_of, tag_codes


def test_missing_tags_have_no_code():
    codes, tags = tag_codes([["b", None, "a"], [], None, ["a", float("nan"), -1]], [3, 0, 2, 3])
    assert codes.tolist() == [1, -1, 0, -1, -1, 0, -1, -1]
    assert tags.tolist() == ["a", "b"]


def test_numbers_are_tags_too():
    codes, tags = tag_codes([np.array([5, 7, -1])], [3])
    assert (codes.tolist(), tags.tolist()) == ([0, 1, -1], [5, 7])


@pytest.mark.parametrize(
    "y, message",
    [
        ([["a"]], "2 sentences but tags for 1"),
        ([["a", "b"], ["a"]], r"sentence 0 has 1 tokens but 2 tags: position 1 has"),
        ([["a"], ["a", "b"]], r"sentence 1 has 3 tokens but 2 tags: position 2 has"),
        ([["a"], "abc"], "the tags of sentence 1 are 'abc'"),
        ([["a"], [1, 2, 3]], "one kind"),
        ([["a"], ["a", ["x"], "b"]], "tags are strings"),
        ([["a"], ["a", 1.5, "b"]], "a tag is 1.5"),
        ("ab", "not str"),
        (7, "not int"),
    ],
)
def test_bad_tags_are_refused(y, message):
    with pytest.raises(InvalidInput, match=message):
        tag_codes(y, [1, 3])


def test_a_tag_unseen_in_training_is_named_with_its_position():
    with pytest.raises(InvalidInput, match="position 1 of sentence 1 has the tag 'X', which did not occur in training"):
        tag_codes([["a"], ["b", "X"]], [1, 2], np.array(["a", "b"]))


def test_places_skip_empty_sentences():
    assert place_of(0, [0, 2]) == "position 0 of sentence 1"
    assert place_of(3, [2, 0, 2]) == "position 1 of sentence 2"
