"""Queries: words, and phrases in quotation marks, as terms of an index."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from driftline.core.errors import InvalidInput
from driftline.text.terms import TermNumbering
from driftline.text.tokenise import Tokenizer

MOST_CHARACTERS = 10_000
MOST_TERMS = 200
_MARKS = str.maketrans("“”„‟", '""""')
"""Typographic quotation marks."""


class Term(NamedTuple):
    """A term of a query and its position; `part` numbers the quoted and the unquoted parts."""

    word: str
    place: int
    part: int


class Query(NamedTuple):
    """The terms of a query in order, and the parts that were quoted."""

    text: str
    terms: tuple[Term, ...]
    phrases: tuple[tuple[Term, ...], ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The terms, repetitions included."""
        return tuple(term.word for term in self.terms)

    def follows(self, i: int) -> bool:
        """Return whether term i + 1 directly follows term i: in the same part, without a stop word between them."""
        one, other = self.terms[i : i + 2]
        return one.part == other.part and other.place == one.place + 1


def parse_query(text: str, tokenizer: Tokenizer) -> Query:
    """Return the terms of a query; a part in quotation marks is a phrase that documents must contain.

    >>> parse_query('flow of "gas pipeline"', Tokenizer(stop_words="english")).words
    ('flow', 'gas', 'pipeline')
    """
    if not isinstance(text, str):
        raise InvalidInput(f"a query is a string, not {type(text).__name__}")
    if len(text) > MOST_CHARACTERS:
        raise InvalidInput(f"the query has {len(text):,} characters; the limit is {MOST_CHARACTERS:,}")
    text = text.encode("utf-8", "replace").decode()
    parts = text.translate(_MARKS).split('"')
    if len(parts) % 2 == 0:
        place = len(text) - len(parts[-1])
        raise InvalidInput(f"the quotation mark at character {place} of the query is not closed; close or remove it")
    numbering = TermNumbering(tokenizer)
    numbers, offsets, places = numbering.encode_places(pa.array(parts, pa.large_string()))
    words = numbering.terms.words()
    found = [
        tuple(
            Term(words[int(numbers[i])].as_py(), int(places[i]), part) for i in range(offsets[part], offsets[part + 1])
        )
        for part in range(len(parts))
    ]
    terms = tuple(term for part in found for term in part)
    if not terms:
        what = "has no words" if not text.strip() or not any(map(str.isalnum, text)) else "has only stop words"
        raise InvalidInput(f"the query {what[:60]}: {text[:60]!r}; use words that the documents may contain")
    if len(terms) > MOST_TERMS:
        raise InvalidInput(f"the query has {len(terms)} terms; the limit is {MOST_TERMS}")
    return Query(text, terms, tuple(part for part in found[1::2] if part))
