"""From words to columns, and back."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.text.vocabulary import Vocabulary, WordList

Words: TypeAlias = str | int | Iterable[str | int]
"""A word, by its name or the number of its column, or several."""


def columns_of(words: Words, vocabulary: WordList | None, n_columns: int) -> tuple[Ints, bool]:
    """Return the columns of a word or of several, and whether it was only one.

    A word is a string (then there must be a vocabulary) or the number of its column.

    >>> columns_of(["war", 0], ["peace", "war"], 2)
    (array([1, 0]), False)
    """
    single = isinstance(words, str | numbers.Integral)
    asked: list[object] = [words] if isinstance(words, str | int | numbers.Integral) else list(words)
    known: Vocabulary | None = None
    columns = np.empty(len(asked), dtype=np.int64)
    for i, word in enumerate(asked):
        if isinstance(word, str):
            if vocabulary is None:
                raise InvalidInput(f"{word!r} is a word, but the model has no vocabulary; pass vocabulary= or a column")
            known = known or Vocabulary.of(vocabulary)
            columns[i] = known.column(word)
        elif isinstance(word, numbers.Integral):
            columns[i] = int(word)
        else:
            raise InvalidInput(f"a word is a string or the number of its column, not {word!r}")
        if not 0 <= columns[i] < n_columns:
            raise InvalidInput(f"column {columns[i]} was requested, but there are {n_columns} columns")
    return columns, single


def word_at(column: int, vocabulary: WordList | None) -> str | int:
    """Return the word of a column; its number if there is no vocabulary, or it is too short.

    >>> word_at(1, ["peace", "war"]), word_at(1, None)
    ('war', 1)
    """
    return int(column) if vocabulary is None or column >= len(vocabulary) else str(vocabulary[int(column)])


def words_at(columns: Iterable[int], vocabulary: WordList | None) -> list[str | int]:
    """Return the words of several columns.

    >>> words_at([1, 0, 2], ["peace", "war"])
    ['war', 'peace', 2]
    """
    return [word_at(column, vocabulary) for column in columns]
