"""Documents as sequences of word numbers: the input of models of word order."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import Ints
from driftline.core.errors import InvalidInput
from driftline.text.sequences import TokenSequences

Sequences: TypeAlias = TokenSequences | Sequence[npt.ArrayLike]
"""Documents before they are checked: token sequences, or a list of arrays or lists of word numbers."""
MOST_WORDS = 2**31 - 1
"""The largest word number."""


def as_sequences(X: Sequences) -> TokenSequences:
    """Return documents given as lists or arrays of word numbers (-1: unknown) as token sequences.

    >>> as_sequences([[0, 1, 0], []]).offsets
    array([0, 3, 3])
    """
    if isinstance(X, TokenSequences):
        if len(X.ids) and X.ids.min() < -1:
            raise InvalidInput(f"word numbers must not be below -1, but there is {X.ids.min()}")
        return X
    if isinstance(X, str | bytes) or not hasattr(X, "__len__"):
        raise InvalidInput(f"X must be a list of token sequences, one per document, not {type(X).__name__}")
    parts = [as_words(document, f"document {i}") for i, document in enumerate(X)]
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts], dtype=np.int64)]).astype(np.int64)
    return TokenSequences(np.concatenate([*parts, np.empty(0, dtype=np.int32)]).astype(np.int32), offsets)


def as_words(document: object, name: str = "the document") -> Ints:
    """Return one document as an array of word numbers; `name` is used in errors."""
    if isinstance(document, str | numbers.Number):
        raise InvalidInput(
            f"{name} is {document!r}; pass it as a sequence of word numbers "
            f"(driftline.text.sequences.token_sequences makes them from text)"
        )
    words = np.asarray(document)
    if words.size == 0:
        return np.empty(0, dtype=np.int32)
    if words.ndim != 1:
        raise InvalidInput(f"{name} has shape {words.shape}; pass it as one sequence of word numbers")
    if words.dtype.kind not in "iuf":
        raise InvalidInput(f"{name} contains {words.dtype}, not word numbers")
    bad = (words < -1) | (words > MOST_WORDS)
    if words.dtype.kind == "f":
        bad |= ~np.isfinite(words) | (words != np.floor(words))
    if bad.any():
        place = int(np.flatnonzero(bad)[0])
        raise InvalidInput(f"word {place} of {name} is {words[place]}; word numbers are 0, 1, … or -1 (unknown)")
    return words.astype(np.int32)
