from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.oracles.markov import enumerate_paths

from driftline.core.errors import InvalidInput
from driftline.sequences import HiddenMarkovTagger

SENTENCES = [["the", "dog", "barks"], ["a", "cat", "sleeps"], ["the", "cat", "sees", "a", "dog"]]
TAGS = [["D", "N", "V"], ["D", "N", "V"], ["D", "N", "V", "D", "N"]]


def test_the_tags_are_the_best_of_all():
    tagger = HiddenMarkovTagger().fit(SENTENCES, TAGS)
    words = ["a", "Dog", "runs", "the"]
    paths, logs = enumerate_paths(tagger.initial_, [tagger.transition_] * 4, tagger._log_emission(words))
    assert tagger.predict([words])[0].tolist() == tagger.classes_[paths[logs.argmax()]].tolist()


def test_counts_are_counts():
    tagger = HiddenMarkovTagger(smoothing=1e-12).fit(SENTENCES, TAGS)
    np.testing.assert_allclose(tagger.initial_, [1, 0, 0], atol=1e-9)
    np.testing.assert_allclose(tagger.transition_, [[0, 1, 0], [0, 0, 1], [1, 0, 0]], atol=1e-9)
    assert tagger.counts_[tagger.words_.index("dog")].toarray().tolist() == [[0, 2, 0]]
    np.testing.assert_allclose(tagger.shares_, [4 / 11, 4 / 11, 3 / 11])


def test_unknown_tags_are_not_counted_and_unknown_words_are_named():
    tagger = HiddenMarkovTagger().fit([["a", "b", "c"], ["d"]], [["X", None, "Y"], None])
    assert tagger.words_ == ["a", "c"]
    assert [part.tolist() for part in tagger.unknown_words([["a", "b"], []])] == [[False, True], []]
    assert tagger.transition_[0, 1] == tagger.transition_[0, 0], "a pair with an unknown tag is no transition"


def test_an_unknown_word_known_in_lower_case_has_its_tags():
    tagger = HiddenMarkovTagger().fit([["x", "of", "y"]] * 3, [["N", "P", "N"]] * 3)
    assert tagger.predict([["x", "OF", "y"]])[0].tolist() == ["N", "P", "N"]


def test_empty_and_short_sentences():
    tagger = HiddenMarkovTagger().fit(SENTENCES, TAGS)
    assert [len(path) for path in tagger.predict([[], ["dog"], [""]])] == [0, 1, 1]
    assert tagger.predict([]) == []


@pytest.mark.parametrize(
    "X, y, message",
    [
        ([["a"]], [["N", "V"]], "sentence 0 has 1 tokens but 2 tags"),
        (["a b"], [["N"]], "sentence 0 is 'a b'"),
        ([["a", 3]], [["N", "V"]], "position 1 of sentence 0 is 3"),
        ([[("a", "b")]], [["N"]], "has 2 columns, but the model has 1"),
        ([["a"]], [[None]], "no token has a tag"),
        ([], [], "no token has a tag"),
    ],
)
def test_bad_input_is_refused(X, y, message):
    with pytest.raises(InvalidInput, match=message):
        HiddenMarkovTagger().fit(X, y)


@pytest.mark.data
def test_parts_of_speech_of_real_sentences(real_data):
    rows = pq.read_table(real_data("ud_english_ewt")).to_pylist()
    parts = {
        split: (
            [row["tokens"] for row in rows if row["split"] == split],
            [row["upos"] for row in rows if row["split"] == split],
        )
        for split in ("train", "test")
    }
    assert HiddenMarkovTagger().fit(*parts["train"]).score(*parts["test"]) > 0.926
