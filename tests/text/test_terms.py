import pyarrow as pa

from driftline.text.terms import TermNumbering
from driftline.text.tokenise import Tokenizer


def _array(words):
    return pa.array(words, pa.large_string())


def test_known_terms_come_first_under_all_options():
    known = _array(["peac", "war"])
    for options in ({}, {"stop_words": ["and"]}, {"stemmer": "english"}, {"ngram_range": (1, 2)}):
        numbering = TermNumbering(Tokenizer(**options), known)
        numbers, offsets = numbering.encode(_array(["war and peac"]))
        assert offsets.tolist() == [0, len(numbers)]
        words = numbering.terms.words()
        assert words[:2].to_pylist() == ["peac", "war"]
        assert words.take(pa.array(numbers)).to_pylist() == Tokenizer(**options).tokens(["war and peac"])[0].as_py()


def test_a_stop_word_stays_one_in_every_batch():
    numbering = TermNumbering(Tokenizer(stop_words=["the"]))
    encoded = [numbering.encode(_array([text])) for text in ("the war", "the peace", "the")]
    assert [len(numbers) for numbers, _ in encoded] == [1, 1, 0]


def test_terms_are_numbered_by_first_appearance_row_by_row():
    numbering = TermNumbering(Tokenizer(ngram_range=(1, 2)))
    numbering.encode(_array(["aa bb", "cc aa"]))
    assert numbering.terms.words().to_pylist() == ["aa", "bb", "aa bb", "cc", "cc aa"]


def test_equal_spellings_are_one_term_regardless_of_their_origin():
    # "new york" is one word of the pattern, and also two words side by side.
    tokenizer = Tokenizer(pattern="new york|[a-z]+", ngram_range=(1, 2))
    numbering = TermNumbering(tokenizer)
    numbers, _ = numbering.encode(_array(["new york", "york new, york"]))
    words = numbering.terms.words().take(pa.array(numbers)).to_pylist()
    assert words == ["new york", "york", "new", "york", "york new", "new york"]
    assert len(numbering.terms) == 4
