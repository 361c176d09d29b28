"""Conversion of the input of a hidden Markov model to arrays: words as columns, or observations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.base import sequence_input
from driftline.base.sequence_input import as_sequences
from driftline.base.word_numbers import in_columns, words_of
from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.sequences.baum_welch import Sequences
from driftline.sequences.observations import Series, as_observations
from driftline.sequences.tag_input import Tags, tag_codes
from driftline.text.sequences import TokenSequences
from driftline.text.vocabulary import WordList

Input = sequence_input.Sequences | Series
"""Sequences before they are checked: of word numbers, or of numbers."""


class Reading(NamedTuple):
    """The kind of emissions, the numbers per state (columns of words; means and variances), and words by column, if not
    all.

    `strength` is the weight of the prior, in observations.
    """

    kind: str
    n_numbers: int
    word_numbers: Ints | None
    strength: float

    def problem(self, X: Input, n_states: int) -> Sequences:
        """Return sequences as a problem for EM."""
        if self.kind != "categorical":
            n_columns = self.n_numbers // 2 if self.kind == "gaussian" else None
            seen = as_observations(_series(X, self.kind), self.kind, n_columns)
            return Sequences(seen.rows, seen.offsets, n_states, seen.values, self.strength, kind=self.kind)
        documents = in_columns(as_sequences(X), self.word_numbers)
        rows = np.where(documents.ids < self.n_numbers, documents.ids, -1).astype(np.int64)
        values = np.empty((self.n_numbers, 0))
        return Sequences(rows, documents.offsets, n_states, values, self.strength, kind=self.kind)


def learn_reading(X: Input, kind: str, n_words: int | None, vocabulary: WordList | None, strength: float) -> Reading:
    """Return the conversion of sequences, learned from those of a fit."""
    if kind == "categorical":
        documents = as_sequences(X)
        words = words_of(documents, n_words, vocabulary)
        if not len(documents) or not words.n_columns:
            raise InvalidInput("no document has a known word; pass at least one, or n_words")
        return Reading(kind, *words, strength)
    if n_words is not None or vocabulary is not None:
        raise InvalidInput(f"n_words and vocabulary are for words, and {kind} emissions are numbers")
    seen = as_observations(_series(X, kind), kind)
    if not len(seen.values):
        raise InvalidInput("no sequence has an observation; pass at least one")
    return Reading(kind, 2 * seen.values.shape[1] if kind == "gaussian" else 1, None, strength)


def with_tags(problem: Sequences, y: Tags, n_states: int | None) -> tuple[Sequences, np.ndarray]:
    """Return the problem with its known states, and the tag of every state."""
    codes, names = tag_codes(y, np.diff(problem.offsets))
    if names.dtype.kind in "iu":
        names = np.arange(n_states or int(names.max()) + 1)
        codes, names = tag_codes(y, np.diff(problem.offsets), names)
    if not len(names):
        raise InvalidInput("no tag is known; pass y=None to learn without tags")
    if n_states is not None and len(names) != n_states:
        raise InvalidInput(f"there are {len(names)} distinct tags, but n_states={n_states}; pass n_states=None")
    return problem._replace(n_states=len(names), known=codes), names


def _series(X: Input, kind: str) -> Series:
    if isinstance(X, TokenSequences):
        raise InvalidInput(f"{kind} emissions are numbers; token sequences are for words")
    return X
