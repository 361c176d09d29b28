from __future__ import annotations

import pytest

from driftline.core.errors import InvalidInput
from driftline.guidance import Guide
from driftline.guidance.mergers import declared_names, merged_names, renamed


def test_chains_of_mergers_end_in_one_topic():
    guide = Guide().merge("war", "iraq", "army").merge("news", "war")
    assert merged_names(guide.wishes) == {"iraq": "news", "army": "news", "war": "news"}
    assert merged_names(Guide().merge(0, "iraq").merge("war", 3).wishes) == {}, "numbers have no other name"
    with pytest.raises(InvalidInput, match="is merged into itself"):
        merged_names(Guide().merge("war", "iraq").merge("iraq", "war").wishes)


def test_topics_and_labels_follow_a_merger_and_proportions_are_refused():
    guide = Guide().topic("iraq", ["saddam"], number=3).label([1], "iraq").topic("tax", ["tax"]).label([2], 0)
    found = [renamed(wish, {"iraq": "war"}) for wish in guide.wishes]
    assert [getattr(wish, "name", getattr(wish, "topic", None)) for wish in found] == ["war", "war", "tax", 0]
    with pytest.raises(InvalidInput, match="'iraq' is merged into 'war'"):
        renamed(Guide().proportion("iraq", at_most=0.1).wishes[0], {"iraq": "war"})


def test_names_of_the_guide_are_declared():
    assert declared_names(Guide().topic("tax", ["tax"]).merge("a", "b").wishes, None) == {"tax"}
