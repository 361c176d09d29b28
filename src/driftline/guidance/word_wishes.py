"""Wishes about words: their columns, their consistency, and the resulting arrays."""

from __future__ import annotations

import difflib
import itertools
import numbers
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.text.vocabulary import Vocabulary, WordList
from driftline.text.word_columns import word_at

NEAREST = 3
"""Number of known words that are suggested for an unknown one."""


class UnknownWordsWarning(UserWarning):
    """Words of a guide are not in the vocabulary; the wishes are applied without them."""


class Columns:
    """Finds the columns of words, and records those that were not found."""

    def __init__(self, vocabulary: WordList | None, n_words: int) -> None:
        self._words = None if vocabulary is None else Vocabulary.of(vocabulary)
        self._given = vocabulary
        self._n_words = n_words
        self.notes: list[str] = []

    def find(self, words: Iterable[str | int], whose: str, *, least: int = 1, warn: bool = True) -> list[int]:
        """Return the columns of the known words, and warn about the others; at least `least` must be known."""
        words = list(words)
        columns = self.known(words)
        found: list[int] = columns[columns >= 0].tolist()
        unknown = [word for word, column in zip(words, columns) if column < 0]
        self.notes = [self._described(word) for word in unknown]
        if words and len(found) < least:
            raise InvalidInput(f"{whose}: no word is left; {'; '.join(self.notes)}")
        if unknown and warn:
            warnings.warn(f"{whose}: {'; '.join(self.notes)}", UnknownWordsWarning, stacklevel=2)
        return found

    def name(self, column: int) -> str:
        """Return the word of a column."""
        return str(word_at(column, self._given))

    def known(self, words: Sequence[str | int]) -> Ints:
        """Return the columns of words, as they are written or in lower case; −1 for one that is unknown."""
        strings = [word for word in words if isinstance(word, str)]
        if strings and self._words is None:
            raise InvalidInput(
                f"{strings[0]!r} is a word, but the model has no vocabulary; pass vocabulary= or a column"
            )
        for word in words:
            if not isinstance(word, str | numbers.Integral):
                raise InvalidInput(f"a word is a string or the number of its column, not {word!r}")
        of_strings = iter(self._indexed(strings))
        columns = np.array([next(of_strings) if isinstance(word, str) else int(word) for word in words], dtype=np.int64)
        return np.where((columns >= 0) & (columns < self._n_words), columns, -1)

    def _indexed(self, words: list[str]) -> list[int]:
        if self._words is None or not words:
            return []
        exact, lower = (self._words.index(each) for each in (words, [word.lower() for word in words]))
        found: list[int] = np.where(exact >= 0, exact, lower).tolist()
        return found

    def _described(self, word: str | int) -> str:
        if not isinstance(word, str) or self._words is None:
            return f"there is no column {word}"
        near = difflib.get_close_matches(word.lower(), self._words.words.tolist(), n=NEAREST)
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


def check_bans(columns: Columns, banned: set[tuple[int, int]], n_topics: int) -> None:
    """Raise an error that names a word which is banned from all topics."""
    times = Counter(column for column, _ in banned)
    for column, number in times.items():
        if number >= n_topics:
            raise InvalidInput(
                f"{columns.name(column)!r} is banned from all topics; allow it in one, or raise n_topics"
            )


def check_agreement(
    columns: Columns,
    groups: list[Ints],
    apart: Ints,
    seeds: dict[int, set[int]],
    banned: set[tuple[int, int]],
    names: Sequence[str],
) -> None:
    """Raise an error that names words whose wishes contradict each other; `seeds` maps topics to their words."""
    group_of = {int(word): number for number, group in enumerate(groups) for word in group}
    for a, b in apart.tolist():
        if a in group_of and group_of[a] == group_of.get(b):
            raise InvalidInput(f"{columns.name(a)!r} and {columns.name(b)!r} are requested both together and apart")
        for topic, words in seeds.items():
            if a in words and b in words:
                raise InvalidInput(
                    f"{columns.name(a)!r} and {columns.name(b)!r} are requested apart, but both are words of topic "
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
