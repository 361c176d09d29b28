import dataclasses
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftline.core.errors import InvalidInput
from driftline.text import rows
from driftline.text.stop_word_lists import STOP_WORDS
from driftline.text.tokenise import Tokenizer
from tests.oracles.tokens import HOSTILE, WORD, tokens_of

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2), (2, 3)])
@pytest.mark.parametrize("stop_words", [(), ("aa", "bar", "line", "καὶ")])
def test_hostile_texts_give_the_tokens_of_re(lowercase, ngram_range, stop_words):
    options = {"lowercase": lowercase, "ngram_range": ngram_range, "stop_words": stop_words}
    assert Tokenizer(**options).tokens(HOSTILE).to_pylist() == [tokens_of(text, **options) for text in HOSTILE]


@pytest.mark.parametrize("lowercase", [True, False])
def test_every_code_point_gives_the_tokens_of_re(lowercase):
    characters = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    # Each character occurs between letters, twice in a row, and after a letter.
    texts = [
        " ".join(f"aa{c}bb {c}{c} A{c}" for c in characters[start : start + 2000])
        for start in range(0, len(characters), 2000)
    ]
    found = Tokenizer(lowercase=lowercase).tokens(texts)
    for text, tokens in zip(texts, found):
        assert tokens.as_py() == re.findall(WORD, text.lower() if lowercase else text)


@given(st.lists(ANY_TEXT, max_size=5), st.booleans(), st.integers(1, 3))
def test_any_text_gives_the_tokens_of_re(texts, lowercase, longest):
    options = {"lowercase": lowercase, "ngram_range": (1, longest)}
    assert Tokenizer(**options).tokens(texts).to_pylist() == [tokens_of(text, **options) for text in texts]


def test_tokens_do_not_depend_on_how_the_texts_are_cut(monkeypatch):
    expected = Tokenizer(ngram_range=(1, 2)).tokens(HOSTILE)
    monkeypatch.setattr(rows, "BATCH_ROWS", 3)
    monkeypatch.setattr(rows, "BATCH_BYTES", 50)
    assert Tokenizer(ngram_range=(1, 2)).tokens(HOSTILE).equals(expected)


def test_no_texts_give_no_tokens():
    assert len(Tokenizer().tokens([])) == 0
    assert Tokenizer().tokens(["", "!"]).to_pylist() == [[], []]


def test_the_english_list_is_left_out():
    assert Tokenizer(stop_words="english").tokens(["The war of the worlds"]).to_pylist() == [["war", "worlds"]]
    assert set(Tokenizer(stop_words="english").excluded) == STOP_WORDS["en"]


def test_tokenizers_are_values():
    assert Tokenizer(stop_words=["b", "a"]) == Tokenizer(stop_words={"a", "b"})
    assert hash(Tokenizer(stop_words=["b", "a"])) == hash(Tokenizer(stop_words={"a", "b"}))
    assert Tokenizer(ngram_range=[1, 2]) == Tokenizer(ngram_range=(1, 2))
    assert Tokenizer() != Tokenizer(lowercase=False)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Tokenizer().lowercase = False
    again = Tokenizer(**dataclasses.asdict(Tokenizer(stop_words=["a"], pattern="a+", ngram_range=(2, 3))))
    assert again == Tokenizer(stop_words=["a"], pattern="a+", ngram_range=(2, 3))


@pytest.mark.parametrize(
    "options",
    [
        {"lowercase": "yes"},
        {"strip_accents": "latin"},
        {"ngram_range": (0, 1)},
        {"ngram_range": (2, 1)},
        {"ngram_range": 2},
        {"ngram_range": (1.0, 2)},
        {"stop_words": "french"},
    ],
)
def test_options_that_are_none_are_errors(options):
    with pytest.raises(InvalidInput, match=next(iter(options))):
        Tokenizer(**options)
