from __future__ import annotations

import warnings

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.guidance.word_wishes import UnknownWordsWarning
from driftline.topics import LDA
from driftline.topics.priors import document_prior, seed_counts


def test_document_priors():
    assert document_prior(0.3, 2).tolist() == [0.3, 0.3]
    assert document_prior([0.3, 0.4], 2).tolist() == [0.3, 0.4]
    assert document_prior(None, 4).sum() == pytest.approx(5)
    assert (document_prior("learned", 5) <= 0.1).all()
    for bad in ([0.3], [0.3, -1.0], [0.1, np.nan]):
        with pytest.raises(InvalidInput, match="doc_topic_prior"):
            document_prior(bad, 2)


def test_seeds_of_words_and_columns():
    seeds = seed_counts({1: ["war", 2], 0: ["war"]}, 7.0, ["peace", "war", "tax"], 2, 3)
    assert {column: extra.tolist() for column, extra in seeds.items()} == {1: [7.0, 7.0], 2: [0.0, 7.0]}
    weighted = seed_counts({0: {"war": 3, 2: 0.5}}, 7.0, ["peace", "war", "tax"], 2, 3)
    assert {column: extra.tolist() for column, extra in weighted.items()} == {1: [3.0, 0.0], 2: [0.5, 0.0]}
    assert seed_counts(None, 7.0, None, 2, 3) == {}
    for bad in ({0: ["none"]}, {0: [3]}, {2: [0]}, [["war"]], {0: {"war": -1.0}}, {0: {"war": "much"}}):
        with pytest.raises(InvalidInput):
            seed_counts(bad, 7.0, ["peace", "war", "tax"], 2, 3)


def test_unknown_seeds_are_left_out_with_a_warning():
    vocabulary = ["peace", "war", "tax"]
    with pytest.warns(UnknownWordsWarning, match=r"seed_words of topic 1: 'wart' .*near: war"):
        seeds = seed_counts({1: {"wart": 3, "war": 2}}, 7.0, vocabulary, 2, 3, warn=True)
    assert {column: extra.tolist() for column, extra in seeds.items()} == {1: [0.0, 2.0]}
    with pytest.raises(InvalidInput, match="no word is left; 'wart'"):
        seed_counts({1: ["wart"]}, 7.0, vocabulary, 2, 3)
    with pytest.raises(InvalidInput, match="number of its column"):
        seed_counts({1: [1.5]}, 7.0, vocabulary, 2, 3)


def test_a_fit_warns_about_unknown_seeds_once():
    X = np.repeat([[4, 3, 0, 0], [0, 0, 5, 2]], 10, axis=0)
    words = ["war", "iraq", "sars", "virus"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        LDA(2, seed_words={0: ["war", "wars"]}, vocabulary=words, random_state=0).fit(X).transform(X)
    assert [warning.category for warning in caught] == [UnknownWordsWarning]
