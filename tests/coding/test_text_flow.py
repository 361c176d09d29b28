from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest

from driftline.coding.local_context import LocalContextSparseCoding
from driftline.coding.segments import run_lengths
from driftline.coding.text_flow import (
    along,
    as_shares,
    characteristic_words,
    order_of_appearance,
    split_passages,
    text_flow,
)
from driftline.core.errors import InvalidInput
from driftline.text.sequences import TokenSequences
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


def test_a_text_that_says_the_same_everywhere_is_refused():
    with pytest.raises(InvalidInput, match="the same throughout"):
        text_flow(["The cat sat on the red mat while rain fell outside on stone walls."] * 200)


def test_passages_are_whole_sentences_and_lose_nothing():
    paragraph = "It was late. " * 30 + 'She said "no!" and left... ' * 10
    passages = split_passages(paragraph)
    assert " ".join(passages).split() == paragraph.split()
    assert all(len(passage.split()) < 75 for passage in passages)
    assert split_passages("") == []
    assert split_passages("no end") == ["no end"]


def test_characteristic_words_are_more_frequent_than_elsewhere():
    assert characteristic_words(np.array([0.5, 0.4, 0.1]), np.array([0.5, 0.1, 0.4]), ["a", "b", "c"]) == ["b"]


def test_a_place_lies_within_its_passage(flow):
    lengths = np.array([len(passage.split()) for passage in flow.passages])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    assert (starts[flow.passage_of] <= flow.words).all()
    assert (flow.words < starts[flow.passage_of + 1]).all()
    assert len(np.unique(flow.words)) > len(np.unique(flow.passage_of))


def test_a_text_can_be_followed_under_topics_learned_elsewhere():
    words = ["a", "b", "c"]
    model = LocalContextSparseCoding(2, bandwidth=1.0, random_state=0, vocabulary=words)
    model.fit([[0, 0, 0, 0, 1, 1, 1, 1]] * 5)
    sequences = TokenSequences(np.array([1] * 6 + [0] * 6, dtype=np.int32), np.array([0, 6, 12]))
    first = int(model.topics_.toarray()[:, 0].argmax())
    found = along(["b " * 6, "a " * 6], sequences, model, np.full(3, 1 / 3), order=np.array([first, 1 - first]))
    assert [theme.words for theme in found.themes] == [["a"], ["b"]]
    assert (found.shares[:5].argmax(axis=1) == 1).all()
    assert (found.shares[7:].argmax(axis=1) == 0).all()
    assert found.words.tolist() == list(range(12))
    assert [turn.words for turn in found.turns][:: len(found.turns) - 1] == [["b"], ["a"]]


def test_shares_sum_to_one_or_are_nothing():
    np.testing.assert_array_equal(as_shares(np.array([[1.0, 3.0], [0.0, 0.0]])), [[0.25, 0.75], [0.0, 0.0]])


def test_topics_are_ordered_by_where_they_stand_in_texts_of_any_length():
    early, late = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    assert order_of_appearance([np.array([late, early]), np.array([late] * 9 + [early])]).tolist() == [1, 0]
    assert order_of_appearance([np.array([early, late])]).tolist() == [0, 1]


@pytest.mark.slow
@pytest.mark.data
def test_a_novel_turns_where_its_story_turns_and_its_topics_last(real_data):
    """The Metamorphosis: the clerk comes, he is fed, the furniture goes, the lodgers hear the violin."""
    paragraphs = pq.read_table(real_data("kafka_metamorphosis"))["text"].to_pylist()
    found = text_flow(paragraphs)
    where = {}
    for number, turn in enumerate(found.turns):
        for word in turn.words:
            where.setdefault(word, number)
    assert where["clerk"] < where["milk"] < where["furniture"] < where["violin"]
    assert 6 <= len(found.turns) <= 14
    n_kept = 100 * found.bandwidth  # the window is a hundredth of the words that are kept
    run = n_kept / len(run_lengths(found.shares.argmax(axis=1)))
    assert run > 3 * 2.8  # token by token, LDA's topics last 2.7 words: benchmarks/coding/flow.py
