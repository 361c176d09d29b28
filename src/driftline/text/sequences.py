"""Token sequences: the words of each document in the order of its text, as numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Ints
from driftline.core.errors import InvalidInput
from driftline.text.rows import Texts, batches
from driftline.text.terms import TermNumbering
from driftline.text.tokenise import Tokenizer
from driftline.text.vocabulary import Vocabulary, WordList

_INT32 = np.iinfo(np.int32)


@dataclass(frozen=True, eq=False)
class TokenSequences:
    """The words of many documents, concatenated: document i has ``ids[offsets[i]:offsets[i + 1]]``.

    `ids` are columns of a vocabulary (int32), −1 for a word that is not in it; `offsets` are int64.

    >>> sequences = TokenSequences(np.array([0, 1, 0], dtype=np.int32), np.array([0, 2, 3]))
    >>> len(sequences), sequences[0], [document.tolist() for document in sequences]
    (2, array([0, 1], dtype=int32), [[0, 1], [0]])
    """

    ids: np.ndarray
    offsets: Ints

    def __post_init__(self) -> None:
        ids, offsets = np.asarray(self.ids), np.asarray(self.offsets)
        if any(part.size and part.dtype.kind not in "iu" for part in (ids, offsets)):
            raise InvalidInput(f"ids and offsets must be integers, not {ids.dtype} and {offsets.dtype}")
        if ids.size and (ids.min() < _INT32.min or ids.max() > _INT32.max):
            raise InvalidInput(f"ids must lie within 32 bits, but there are ids from {ids.min()} to {ids.max()}")
        if ids.ndim != 1 or offsets.ndim != 1 or not len(offsets) or offsets[0] != 0 or offsets[-1] != len(ids):
            raise InvalidInput(
                "offsets must start at 0, end at the number of ids, and have one more entry than there are documents"
            )
        if (np.diff(offsets) < 0).any():
            raise InvalidInput("offsets must not decrease; document i ends where document i + 1 begins")
        object.__setattr__(self, "ids", ids.astype(np.int32, copy=False))
        object.__setattr__(self, "offsets", offsets.astype(np.int64, copy=False))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, document: int) -> np.ndarray:
        if not -len(self) <= document < len(self):
            raise IndexError(f"there is no document {document}; there are {len(self)}, counted from 0")
        document = document % len(self)
        return self.ids[self.offsets[document] : self.offsets[document + 1]]

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[document] for document in range(len(self)))

    def __repr__(self) -> str:
        return f"TokenSequences({len(self):,} documents, {len(self.ids):,} words)"

    def lengths(self) -> Ints:
        """Return the number of words of each document."""
        return np.diff(self.offsets)

    def to_counts(self, n_columns: int) -> Counts:
        """Return the counts of each word in each document: CSR, int32; unknown words are not counted."""
        known = self.ids >= 0
        columns = self.ids[known]
        if columns.size and columns.max() >= n_columns:
            raise InvalidInput(f"there is a word {columns.max()}, but only {n_columns} columns; pass the vocabulary's")
        rows = np.repeat(np.arange(len(self)), self.lengths())[known]
        ones = np.ones(len(columns), dtype=np.int32)
        counts = sp.csr_matrix((ones, (rows, columns)), shape=(len(self), n_columns))
        counts.sum_duplicates()
        return counts


def token_sequences(
    texts: Texts,
    tokenizer: Tokenizer | None,
    vocabulary: WordList,
    *,
    keep_unknown: bool = False,
) -> TokenSequences:
    """Return the words of each text in order, as columns of the vocabulary.

    Words that are not in the vocabulary are omitted, or are −1 with ``keep_unknown=True``. N-grams overlap and have no
    unique order, so the tokenizer must return single words.

    >>> token_sequences(["war and peace and war"], None, ["peace", "war"])[0]
    array([1, 0, 1], dtype=int32)
    """
    tokenizer = Tokenizer() if tokenizer is None else tokenizer
    if tokenizer.ngram_range != (1, 1):
        raise InvalidInput(
            f"token sequences consist of single words, but the tokenizer has ngram_range={tokenizer.ngram_range}; "
            f"use a tokenizer with ngram_range=(1, 1)"
        )
    vocabulary = Vocabulary.of(vocabulary)
    numbering = TermNumbering(tokenizer, vocabulary.to_array())
    ids, ends = [np.empty(0, dtype=np.int32)], [np.zeros(1, dtype=np.int64)]
    n_words = 0
    for batch in batches(texts):
        numbers, offsets = numbering.encode(batch)
        columns = np.arange(max(len(numbering.terms), 1), dtype=np.int32)
        columns[len(vocabulary) :] = -1
        if keep_unknown:
            numbers = columns[numbers]
        else:
            numbers, offsets = current_kernels().counting.keep_known(numbers, offsets, columns)
        ids.append(numbers.copy())
        ends.append(offsets[1:] + n_words)
        n_words += len(numbers)
    return TokenSequences(np.concatenate(ids), np.concatenate(ends))
