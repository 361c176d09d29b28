"""Wishes about words: their columns, whether they agree with each other, and the arrays that follow."""

from __future__ import annotations

import difflib
import itertools
import numbers
import warnings
from collections.abc import Iterable, Sequence

import numpy as np

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.text.vocabulary import Vocabulary, WordList
from driftline.text.word_columns import word_at

NEAREST = 3
"""Number of known words that are named for an unknown one."""


class UnknownWordsWarning(UserWarning):
    """Words of a guide are not in the vocabulary; the wishes are heeded without them."""


class Columns:
    """Finds the columns of words, and remembers what was not found."""

    def __init__(self, vocabulary: WordList | None, n_words: int) -> None:
        self._words = None if vocabulary is None else Vocabulary.of(vocabulary)
        self._given = vocabulary
        self._n_words = n_words
        self.notes: list[str] = []

    def find(self, words: Iterable[str | int], whose: str, *, least: int = 1, warn: bool = True) -> list[int]:
        """Return the columns of the known words, and warn of the others; at least so many must be known."""
        words, found, unknown = list(words), [], []
        for word in words:
            column = self.known(word)
            if column is None:
                unknown.append(word)
            else:
                found.append(column)
        self.notes = [self._described(word) for word in unknown]
        if words and len(found) < least:
            raise InvalidInput(f"{whose}: no word is left; {'; '.join(self.notes)}")
        if unknown and warn:
            warnings.warn(f"{whose}: {'; '.join(self.notes)}", UnknownWordsWarning, stacklevel=2)
        return found

    def name(self, column: int) -> str:
        """Return the word of a column."""
        return str(word_at(column, self._given))

    def known(self, word: str | int) -> int | None:
        """Return the column of a word; None if it is unknown."""
        if isinstance(word, str):
            if self._words is None:
                raise InvalidInput(f"{word!r} is a word, but the model has no vocabulary; pass vocabulary= or a column")
            column = int(self._words.index([word])[0])
            return column if 0 <= column < self._n_words else None
        if not isinstance(word, numbers.Integral):
            raise InvalidInput(f"a word is a string or the number of its column, not {word!r}")
        return int(word) if 0 <= int(word) < self._n_words else None

    def _described(self, word: str | int) -> str:
        if not isinstance(word, str) or self._words is None:
            return f"there is no column {word}"
        near = difflib.get_close_matches(word, self._words.words.tolist(), n=NEAREST)
        hint = f" (near: {', '.join(near)})" if near else " (a stop word, or too rare?)"
        return f"{word!r} is not in the vocabulary{hint}"


def joined_groups(pairs: Iterable[Iterable[int]]) -> list[Ints]:
    """Return groups of words that are linked, directly or through others.

    >>> joined_groups([[1, 2], [5, 6], [2, 3]])
    [array([1, 2, 3]), array([5, 6])]
    """
    groups: list[set[int]] = []
    for pair in pairs:
        joined = set(pair)
        for group in [group for group in groups if group & joined]:
            joined |= group
            groups.remove(group)
        groups.append(joined)
    return [np.array(sorted(group), dtype=np.int64) for group in sorted(groups, key=min)]


def pairs_apart(words: Iterable[Iterable[int]]) -> Ints:
    """Return all pairs of words that must not share a topic.

    >>> pairs_apart([[3, 1, 2]])
    array([[1, 2],
           [1, 3],
           [2, 3]])
    """
    pairs = {tuple(sorted(pair)) for several in words for pair in itertools.combinations(set(several), 2)}
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def check_agreement(
    columns: Columns,
    groups: list[Ints],
    apart: Ints,
    seeds: dict[int, set[int]],
    banned: set[tuple[int, int]],
    names: Sequence[str],
) -> None:
    """Raise an error that names words whose wishes cannot all hold; `seeds` maps topics to their words."""
    group_of = {int(word): number for number, group in enumerate(groups) for word in group}
    for a, b in apart.tolist():
        if a in group_of and group_of[a] == group_of.get(b):
            raise InvalidInput(f"{columns.name(a)!r} and {columns.name(b)!r} are wished both together and apart")
        for topic, words in seeds.items():
            if a in words and b in words:
                raise InvalidInput(
                    f"{columns.name(a)!r} and {columns.name(b)!r} are wished apart, but both are words of topic "
                    f"{names[topic]!r}"
                )
    for group in groups:
        for topic, words in seeds.items():
            wanted, excluded = [w for w in group if w in words], [w for w in group if (w, topic) in banned]
            if wanted and excluded:
                raise InvalidInput(
                    f"{columns.name(wanted[0])!r} and {columns.name(excluded[0])!r} belong together, but topic "
                    f"{names[topic]!r} wants the one and bans the other"
                )
