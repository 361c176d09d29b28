from __future__ import annotations

import pytest

from driftline.sequences.text_sentences import LONGEST_SENTENCE, sentences_of


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", []),
        ("   \n\n ", []),
        ("Hello", [["Hello"]]),
        ("Go! Now?", [["Go", "!"], ["Now", "?"]]),
        ("A title\n\nA text", [["A", "title"], ["A", "text"]]),
        ("We can't, they'll", [["We", "ca", "n't", ",", "they", "'ll"]]),
        ("well-known e.g. 3.5", [["well-known", "e.g", "."], ["3.5"]]),
        ("Łódź naïve", [["Łódź", "naïve"]]),
    ],
)
def test_sentences(text, expected):
    assert sentences_of(text) == expected


def test_no_sentence_is_too_long_and_no_token_is_lost():
    found = sentences_of("word " * 1000)
    assert max(map(len, found)) == LONGEST_SENTENCE
    assert sum(map(len, found)) == 1000


def test_hostile_text_takes_linear_time():
    assert sum(map(len, sentences_of("a'" * 50_000 + "-" * 50_000))) > 50_000
