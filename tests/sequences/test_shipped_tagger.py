from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

import driftline.sequences
from driftline.core.errors import ModelFileError
from driftline.sequences.shipped_tagger import english_tagger, mentioned_in, names_in, noun_phrases_in

FOLDER = Path(driftline.sequences.__file__).parent


def test_names_and_phrases_of_a_sentence():
    tokens = ["Angela", "Merkel", "met", "the", "old", "prime", "minister", "of", "New", "Zealand", "."]
    tags = english_tagger().predict([tokens])[0].tolist()
    assert [one.text for one in names_in(tokens, tags)] == ["Angela Merkel", "New Zealand"]
    assert "prime minister" in " ".join(one.text for one in noun_phrases_in(tokens, tags))


def test_what_is_not_a_name():
    assert names_in(["@", "X"], ["PROPN", "PROPN"]) == []
    assert names_in(["A"] * 9, ["PROPN"] * 9) == []
    assert names_in([], []) == []
    assert names_in(["the", "Old", "Town"], ["DET", "ADJ", "NOUN"]) == [], "no proper noun"
    assert [one.text for one in names_in(["Old", "Paris"], ["ADJ", "PROPN"])] == ["Paris"], (
        "a capital says nothing here"
    )
    assert noun_phrases_in(["dog"], ["NOUN"]) == [], "a single word is a word, not a phrase"
    assert noun_phrases_in(["big", "red"], ["ADJ", "ADJ"]) == []
    assert noun_phrases_in(["3", "dogs"], ["ADJ", "NOUN"]) == []


def test_the_model_is_small_and_its_licence_is_next_to_it():
    assert sum(file.stat().st_size for file in (FOLDER / "english_model").iterdir()) < 3 * 2**20
    licence = (FOLDER / "english_model.LICENSE.txt").read_text()
    assert "CC BY-SA 4.0" in licence
    assert "UD_English-EWT" in licence


def test_another_model_in_its_place_is_refused(monkeypatch):
    monkeypatch.setattr("driftline.sequences.shipped_tagger.load", lambda folder: object())
    english_tagger.cache_clear()
    with pytest.raises(ModelFileError, match="not a CRF"):
        english_tagger()
    english_tagger.cache_clear()


@pytest.mark.data
def test_it_tags_sentences_that_it_was_not_trained_on(real_data):
    rows = [row for row in pq.read_table(real_data("ud_english_ewt")).to_pylist() if row["split"] == "test"]
    assert english_tagger().score([row["tokens"] for row in rows], [row["upos"] for row in rows]) > 0.94


def test_mentions_of_sentences_are_names_and_then_phrases():
    tokens, tags = ["The", "new", "gas", "pipeline", "of", "Rome"], ["DET", "ADJ", "NOUN", "NOUN", "ADP", "PROPN"]
    assert mentioned_in([tokens, ["leaks"]], [tags, ["VERB"]]) == [
        [("name", "Rome"), ("phrase", "new gas pipeline")],
        [],
    ]
    assert mentioned_in([tokens], [tags], phrases=False) == [[("name", "Rome")]]
