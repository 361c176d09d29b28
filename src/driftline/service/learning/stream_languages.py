"""The languages of a stream, whose function words its topics and bursts leave out.

They are known once the first topics are fitted. Until then the function words of all languages are left out; those of
other languages are counted afterwards, so that no word is counted that must be removed again.
"""

from __future__ import annotations

from collections.abc import Iterable

from driftline.text.languages import find_language
from driftline.text.stop_word_lists import STOP_WORDS
from driftline.text.stopwords import stop_words_for
from driftline.text.stream_cleaning import clean_arriving
from driftline.text.tokenise import Tokenizer

OTHERWISE = ("en",)
"""The languages of a stream in which none is found."""


def languages_of(texts: list[str]) -> tuple[str, ...]:
    """Return the languages of texts, as codes.

    >>> languages_of(["Die Frage ist, was nun zu tun ist.", "Wir haben das nicht gewollt, und sie auch nicht."])
    ('de',)
    >>> languages_of(["404", "0x1f"])
    ('en',)
    """
    return find_language(clean_arriving(texts)).codes or OTHERWISE


def tokenizer_of(languages: Iterable[str] | None) -> Tokenizer:
    """Return a tokenizer that leaves out the function words of these languages; None means those of all languages.

    >>> [tokenizer_of(codes).tokens(["war und peace"]).to_pylist() for codes in (["en"], ["de"], None)]
    [[['war', 'und', 'peace']], [['peace']], [['peace']]]
    """
    codes = tuple(STOP_WORDS) if languages is None else tuple(languages)
    return Tokenizer(stop_words=stop_words_for("auto", codes))
