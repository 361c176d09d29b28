from __future__ import annotations

import numpy as np
import pytest

from driftline.coding.text_flow import split_passages, telling_words, text_flow
from driftline.core.errors import InvalidInput
from tests.coding.stories import three_parts


@pytest.fixture(scope="module")
def flow():
    return text_flow(three_parts(), n_topics=3)


def test_the_parts_of_a_text_are_its_segments(flow):
    assert len(flow.turns) == 3
    borders = [flow.words[turn.start] / flow.n_words for turn in flow.turns]
    assert borders == pytest.approx([0, 1 / 3, 2 / 3], abs=0.04)
    for turn, subject in zip(flow.turns, ("sea", "town", "wood")):
        assert all(word.startswith(subject) for word in turn.words)


def test_every_place_has_its_shares_its_word_and_its_passage(flow):
    np.testing.assert_allclose(flow.shares.sum(axis=1), 1)
    assert len(flow.words) == len(flow.passage_of) == len(flow.shares)
    assert (np.diff(flow.words) >= 0).all()
    assert flow.n_words == sum(len(paragraph.split()) for paragraph in three_parts())
    assert "sea" in flow.passages[flow.passage_of[0]]
    assert "wood" in flow.passages[flow.passage_of[-1]]


def test_topics_stand_in_the_order_of_the_text(flow):
    assert [theme.words[0][:3] for theme in flow.themes] == ["sea", "tow", "woo"]
    assert sum(theme.share for theme in flow.themes) == pytest.approx(1)


def test_the_same_text_gives_the_same_flow(flow):
    np.testing.assert_array_equal(text_flow(three_parts(), n_topics=3).shares, flow.shares)


@pytest.mark.parametrize("paragraphs", [[], [""], ["Too short to say anything about."]])
def test_short_texts_are_refused(paragraphs):
    with pytest.raises(InvalidInput, match="too few"):
        text_flow(paragraphs)


def test_passages_are_whole_sentences_and_lose_nothing():
    paragraph = "It was late. " * 30 + 'She said "no!" and left... ' * 10
    passages = split_passages(paragraph)
    assert " ".join(passages).split() == paragraph.split()
    assert all(len(passage.split()) < 75 for passage in passages)
    assert split_passages("") == []
    assert split_passages("no end") == ["no end"]


def test_telling_words_are_more_frequent_than_elsewhere():
    assert telling_words(np.array([0.5, 0.4, 0.1]), np.array([0.5, 0.1, 0.4]), ["a", "b", "c"]) == ["b"]
