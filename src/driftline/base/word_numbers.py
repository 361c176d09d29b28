"""Columns of word numbers: the number itself, or its rank if numbers far exceed the size of the vocabulary.

Models store a few numbers per column. If the largest word number determined the number of columns, one outlier would
require gigabytes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.text.sequences import TokenSequences
from driftline.text.vocabulary import WordList

USUAL_WORDS = 1_000_000
"""Number of columns up to which a word number is a column even if few of them are used."""


class Words(NamedTuple):
    """The number of columns, and the word number of each; None if a word number is its column."""

    n_columns: int
    numbers: Ints | None


def words_of(documents: TokenSequences, given: int | None, vocabulary: WordList | None) -> Words:
    """Return the words of a model of documents: the given number of them, those of the vocabulary, or those that occur.

    >>> words_of(TokenSequences(np.array([0, 4]), np.array([0, 2])), None, None)
    Words(n_columns=5, numbers=None)
    >>> words_of(TokenSequences(np.array([7, 10**9, 7, -1]), np.array([0, 2, 4])), None, None)
    Words(n_columns=2, numbers=array([         7, 1000000000]))
    """
    if given is not None:
        return Words(int(given), None)
    if vocabulary is not None:
        return Words(len(vocabulary), None)
    n_columns = int(documents.ids.max(initial=-1)) + 1
    if n_columns <= USUAL_WORDS:
        return Words(n_columns, None)
    numbers = numbers_in(documents)
    return Words(len(numbers), numbers)


def numbers_in(documents: TokenSequences) -> Ints:
    """Return the word numbers that documents use, sorted."""
    numbers = np.unique(documents.ids)
    return numbers[numbers >= 0].astype(np.int64)


def in_columns(documents: TokenSequences, numbers: Ints | None, *, strict: bool = False) -> TokenSequences:
    """Return documents with columns for word numbers; a number without one becomes -1, or is refused if `strict`."""
    if numbers is None:
        return documents
    ids = documents.ids.astype(np.int64)
    columns = np.minimum(np.searchsorted(numbers, ids), max(len(numbers) - 1, 0))
    known = numbers[columns] == ids if len(numbers) else np.zeros(len(ids), dtype=bool)
    if strict and not (known | (ids < 0)).all():
        place = int(np.flatnonzero(~known & (ids >= 0))[0])
        document = int(np.searchsorted(documents.offsets, place, side="right")) - 1
        raise InvalidInput(
            f"document {document} has the word number {ids[place]}, which is not among the {len(numbers)} "
            f"words that the "
            f"model has seen; pass n_words= (or the vocabulary) when fitting, or -1 for unknown words"
        )
    return TokenSequences(np.where(known, columns, -1).astype(np.int32), documents.offsets)


class HasWordNumbers:
    """Mixin of models of word order, which may have renumbered their words."""

    word_numbers_: Ints | None

    @property
    def _numbers(self) -> Ints | None:
        """The word number of each column; None if they are the same. Models saved by earlier versions lack it."""
        return getattr(self, "word_numbers_", None)
