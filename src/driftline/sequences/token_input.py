"""Sentences of tokens: lists of strings, or rows of strings if tokens have several columns (word, part of speech)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput

Token: TypeAlias = str | Sequence[str]
"""A word, or a row of strings that begins with it."""
TokenLists: TypeAlias = "Tokens | Sequence[Sequence[Token] | np.ndarray]"
"""Sentences before they are checked."""


class Tokens(NamedTuple):
    """Sentence i has the tokens ``offsets[i]`` to ``offsets[i + 1]`` of every column."""

    columns: list[list[str]]
    offsets: Ints

    @property
    def lengths(self) -> Ints:
        """The number of tokens of every sentence."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def rows(self, kept: Ints) -> Tokens:
        """Return some of the sentences."""
        columns: list[list[str]] = [[] for _ in self.columns]
        for begin, end in zip(self.offsets[kept].tolist(), self.offsets[kept + 1].tolist()):
            for whole, part in zip(self.columns, columns):
                part += whole[begin:end]
        return Tokens(columns, np.concatenate([[0], np.cumsum(self.lengths[kept])]).astype(np.int64))

    def split(self, values: np.ndarray) -> list[np.ndarray]:
        """Return values of all tokens sentence by sentence."""
        return np.split(values, self.offsets[1:-1]) if len(self) else []


def as_tokens(X: TokenLists, n_columns: int | None = None) -> Tokens:
    """Return sentences as columns of strings; `n_columns` is the number that a model expects.

    >>> as_tokens([["a", "dog"], [], [("the", "DT")]], n_columns=None)
    Traceback (most recent call last):
    driftline.core.errors.InvalidInput: position 0 of sentence 2 has 2 columns, but the tokens before it have 1
    >>> as_tokens([["a", "dog"], []]).columns
    [['a', 'dog']]
    """
    if isinstance(X, Tokens):
        return X
    if isinstance(X, str | bytes) or not hasattr(X, "__len__"):
        raise InvalidInput(f"X must be a list of sentences, each a list of tokens, not {type(X).__name__}")
    columns: list[list[str]] = [[] for _ in range(n_columns or 0)]
    lengths = []
    for number, sentence in enumerate(X):
        if isinstance(sentence, str | bytes) or not hasattr(sentence, "__len__"):
            raise InvalidInput(f"sentence {number} is {_short(sentence)}; pass it as a list of tokens")
        tokens = sentence.tolist() if isinstance(sentence, np.ndarray) else sentence
        words = [token for token in tokens if type(token) is str]
        if len(words) == len(tokens) and len(columns) == 1:
            columns[0] += words
        else:
            _add(columns, tokens, number, n_columns)
        lengths.append(len(tokens))
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
    return Tokens(columns or [[]], offsets)


def _add(columns: list[list[str]], tokens: Sequence[Token], number: int, expected: int | None) -> None:
    for place, token in enumerate(tokens):
        parts = (token,) if isinstance(token, str) else token
        if not isinstance(parts, tuple | list) or not parts or not all(isinstance(part, str) for part in parts):
            raise InvalidInput(
                f"position {place} of sentence {number} is {_short(token)}; a token is a string, or a row of strings"
            )
        if not columns:
            columns += [[] for _ in parts]
        if len(parts) != len(columns):
            whose = "the model has" if expected is not None else "the tokens before it have"
            raise InvalidInput(
                f"position {place} of sentence {number} has {len(parts)} columns, but {whose} {len(columns)}"
            )
        for column, part in zip(columns, parts):
            column.append(part)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
