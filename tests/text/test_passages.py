import re

import numpy as np
import pyarrow as pa
import pytest

from driftline.text.left_out import Tally
from driftline.text.passages import LEAST_SPREAD, WIDTH, drop_passages
from tests.oracles import boilerplate as oracle

SHARE = "Share this by mail, or post it on all your walls and wait"


def dropped(texts, chunks=1):
    tally = Tally()
    parts = [part.tolist() for part in np.array_split(np.array(texts, dtype=object), chunks)]
    column = pa.chunked_array([pa.array(part, pa.large_string()) for part in parts])
    return drop_passages(column, tally).to_pylist(), tally.finish()


def words_of(text):
    return [word for word in re.findall(r"\w\w+", text) if not re.fullmatch("[0-9_]+", word)]


@pytest.mark.parametrize("seed", range(3))
def test_passages_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    words = ["aa", "bb", "été", "12", "x", "dd"]
    texts = []
    for i in range(150):
        text = " ".join(rng.choice(words, size=rng.integers(0, 30)))
        if i % 7 == 0:
            text += f" {SHARE} {i}. "
        texts.append(text + " ".join(rng.choice(words, size=rng.integers(0, 15))))
    expected = oracle.without_passages(texts, width=WIDTH, least_documents=10, least_spread=int(LEAST_SPREAD * 150))
    assert sum(map(len, expected)) < sum(len(words_of(text)) for text in texts)
    assert [words_of(text) for text in dropped(texts, chunks=4)[0]] == expected


def test_what_stands_around_a_passage_stays():
    texts = [f"{letter}story! {SHARE}. {letter}then" for letter in "abcdefghijklmnop"]
    cleaned, (left,) = dropped(texts)
    assert " ".join(cleaned[0].split()) == "astory! . athen"
    assert (left.kind, left.unit, left.n, left.n_documents) == ("passages", "passage", 16, 16)
    assert left.examples == (SHARE,)


def test_what_is_quoted_within_a_few_days_is_news():
    others = [f"nothing of that kind {i}" for i in range(200)]
    quoted = [f"{letter}: {SHARE}" for letter in "abcdefghijkl"]
    assert dropped(quoted + others)[0] == quoted + others
    spread = quoted[:6] + others + quoted[6:]
    assert dropped(spread)[0] != spread


def test_names_and_columns_of_figures_are_not_passages():
    name = "the Islamic State of Iraq and the Levant"
    figures = " ".join(str(i) for i in range(30))
    texts = [f"{letter}{letter} {name} {figures}" for letter in "abcdefghijklmnop"]
    assert dropped(texts)[0] == texts


def test_no_texts_and_short_ones():
    assert dropped([])[0] == []
    assert dropped(["", "a", "b c"] * 20)[0] == ["", "a", "b c"] * 20


def test_slices_of_an_array_are_not_copied_as_a_whole():
    share = "share this by mail or post it on all your walls"
    texts = pa.array([f"Rain number{i} today. {share}" for i in range(400)], pa.large_string())
    sliced = pa.chunked_array([texts[i : i + 10] for i in range(0, 400, 10)])
    whole = drop_passages(pa.chunked_array([texts]), Tally())
    parts = drop_passages(sliced, Tally())
    assert parts.to_pylist() == whole.to_pylist()
    assert sum(chunk.buffers()[2].size for chunk in parts.chunks) == whole.chunk(0).buffers()[2].size
