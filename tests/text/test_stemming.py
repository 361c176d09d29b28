import sys

import pytest

from driftline.core.errors import InvalidInput, MissingDependency
from driftline.text import stemming
from driftline.text.tokenise import Tokenizer


def test_stop_words_are_left_out_before_stemming_and_ngrams_made_after():
    tokenizer = Tokenizer(stemmer="english", stop_words=["during"], ngram_range=(1, 2))
    assert tokenizer.tokens(["wars during elections", "War, election!"]).to_pylist() == [
        ["war", "elect", "war elect"],
        ["war", "elect", "war elect"],
    ]


def test_each_distinct_word_is_stemmed_once(monkeypatch):
    seen = []
    real = stemming.snowball("english")

    class Spy:
        def stemWords(self, words):
            seen.extend(words)
            return real.stemWords(words)

    monkeypatch.setattr(stemming, "snowball", lambda language: Spy())
    Tokenizer(stemmer="english").tokens(["wars wars wars", "wars peace"])
    assert seen == ["wars", "peace"]


def test_other_languages():
    assert Tokenizer(stemmer="german").tokens(["Häuser"]).to_pylist() == [["haus"]]


def test_an_unknown_language_is_an_error_that_lists_the_known():
    with pytest.raises(InvalidInput, match="german"):
        Tokenizer(stemmer="klingon")


def test_a_missing_package_is_an_error_that_names_the_extra(monkeypatch):
    stemming.snowball.cache_clear()
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    with pytest.raises(MissingDependency, match=r"driftline\[stem\]"):
        Tokenizer(stemmer="english")
