"""Texts → counts: documents × words as a CSR matrix, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from driftline.compute import current_kernels
from driftline.compute.compilation_notice import announce_preparation
from driftline.core.arrays import Bools, Counts, Ints
from driftline.core.errors import InvalidInput, NoWords
from driftline.core.results import counted
from driftline.text.frequency import WordLimits, check_limits, frequent_enough
from driftline.text.phrases import AdjacentPairs, Phrases
from driftline.text.rows import Texts, batches
from driftline.text.terms import TermNumbering
from driftline.text.tokenise import Tokenizer
from driftline.text.vocabulary import Vocabulary, WordList, sorted_words

BLOCK = 1 << 20
"""Number of counts per block."""


def count_words(
    texts: Texts,
    tokenizer: Tokenizer | None = None,
    *,
    vocabulary: WordList | None = None,
    grow: bool = False,
    min_df: int | float = 1,
    max_df: int | float = 1.0,
    max_features: int | None = None,
    binary: bool = False,
) -> tuple[Counts, Vocabulary]:
    """Count the words of every text; return documents × words (CSR, int32, sorted) and the vocabulary of its columns.

    Without `vocabulary` the columns are the sorted words within the limits `min_df`, `max_df` and `max_features`: the
    same columns and counts, in the same order, as scikit-learn's `CountVectorizer` with the same options. With a
    `vocabulary` its columns are counted and other words are ignored; with ``grow=True`` new words are added to it, in
    the order of their first occurrence. The limits do not apply to a given vocabulary: prune it instead.
    ``binary=True`` records only whether a word occurs.

    >>> counts, vocabulary = count_words(["War in Iraq, war on terror", "peace"])
    >>> vocabulary.words
    array(['in', 'iraq', 'on', 'peace', 'terror', 'war'], dtype=object)
    >>> counts.toarray()
    array([[1, 1, 1, 0, 1, 2],
           [0, 0, 0, 1, 0, 0]], dtype=int32)
    """
    counter = WordCounter(
        tokenizer,
        vocabulary=vocabulary,
        grow=grow,
        min_df=min_df,
        max_df=max_df,
        max_features=max_features,
        binary=binary,
    )
    counter.add(texts)
    return counter.finish()


class _Rows(NamedTuple):
    """Counted rows: row r has the terms ``distinct[offsets[r]:offsets[r + 1]]``, with frequencies `counts`."""

    distinct: np.ndarray
    counts: np.ndarray
    offsets: Ints


class WordCounter:
    """Counts words in any number of parts; the result is the same as for one part.

    The options are those of `count_words`. With `pairs`, which needs a tokenizer of plain words without stop words,
    adjacent words are kept for `driftline.text.phrases` in the same pass.

    >>> counter = WordCounter(min_df=2)
    >>> counter.add(["war", "war and peace"])
    >>> counter.add(["peace"])
    >>> counts, vocabulary = counter.finish()
    >>> vocabulary, counts.shape, counter.n_documents
    (Vocabulary(2 words: 'peace', 'war'), (3, 2), 3)
    """

    def __init__(
        self,
        tokenizer: Tokenizer | None = None,
        *,
        vocabulary: WordList | None = None,
        grow: bool = False,
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        max_features: int | None = None,
        binary: bool = False,
        pairs: AdjacentPairs | None = None,
    ) -> None:
        check_limits(min_df, max_df, max_features)
        if vocabulary is not None and (min_df, max_df, max_features) != (1, 1.0, None):
            raise InvalidInput(
                "min_df, max_df and max_features choose the words of a new vocabulary, but one was given; "
                "omit the limits, and use Vocabulary.prune to make it smaller"
            )
        if grow and vocabulary is None:
            raise InvalidInput("grow=True needs a vocabulary to start from; pass one, or omit grow")
        self._vocabulary = None if vocabulary is None else Vocabulary.of(vocabulary)
        self._grow = grow
        self._limits: WordLimits = {"min_df": min_df, "max_df": max_df, "max_features": max_features}
        self._binary = binary
        known = None if self._vocabulary is None else self._vocabulary.to_array()
        self._numbering = TermNumbering(Tokenizer() if tokenizer is None else tokenizer, known)
        self._pairs = pairs
        self._blocks: list[_Rows] = []
        self._pending: list[_Rows] = []
        self._written = 0
        self._in_blocks = 0
        n_known = 0 if known is None else len(known)
        self._latest = np.full(n_known, -1, dtype=np.int64)
        self._documents_with = np.zeros(n_known, dtype=np.int64)
        self._uses = np.zeros(n_known, dtype=np.int64)
        self._finished = False
        self.n_documents = 0

    def add(self, texts: Iterable[object]) -> None:
        """Count the words of further texts."""
        self._check_unfinished()
        announce_preparation(current_kernels().counting.number_words, "count words")
        for batch in batches(texts):
            numbers, offsets = self._encoded(batch)
            if self._vocabulary is None or self._grow:
                self._make_room(len(self._numbering.terms))
            distinct, counts, offsets = current_kernels().counting.count_rows(
                numbers, offsets, self._latest, self._written, self._documents_with, self._uses
            )
            # Copies, because the results are views of arrays as long as the text.
            self._pending.append(_Rows(distinct.copy(), counts.copy(), offsets))
            self._written += len(distinct)
            self.n_documents += len(batch)
            if self._written - self._in_blocks >= BLOCK:
                self._close_block()

    def _encoded(self, batch: pa.LargeStringArray) -> tuple[np.ndarray, Ints]:
        if self._pairs is None:
            return self._numbering.encode(batch)
        numbers, offsets, adjacent = self._numbering.encode_adjacent(batch)
        self._pairs.add(numbers, offsets, adjacent, self._numbering.terms)
        return numbers, offsets

    def finish(self) -> tuple[Counts, Vocabulary]:
        """Return the counts of all texts and the vocabulary of their columns. The counter cannot be used afterwards."""
        self._check_unfinished()
        self._finished = True
        vocabulary, column_of = self._columns()
        kept = int(self._documents_with[: len(column_of)][column_of >= 0].sum())
        index_type = np.int64 if max(kept, len(vocabulary)) > np.iinfo(np.int32).max else np.int32
        indices = np.empty(kept, dtype=index_type)
        data = np.empty(kept, dtype=np.int32)
        indptr = np.zeros(self.n_documents + 1, dtype=index_type)
        filled = row = 0
        self._close_block()
        self._blocks.reverse()
        while self._blocks:
            # Each block is freed as soon as it is copied, so that the counts are never in memory twice.
            distinct, counts, offsets = self._blocks.pop()
            row_ends = indptr[row + 1 : row + len(offsets)]
            filled = current_kernels().counting.place_rows(
                distinct, counts, offsets, column_of, indices, data, row_ends, filled
            )
            row += len(offsets) - 1
        if self._binary:
            data.fill(1)
        result = sp.csr_matrix((data, indices, indptr), shape=(self.n_documents, len(vocabulary)))
        result.has_canonical_format = True
        return result, vocabulary

    def phrases(self) -> Phrases:
        """Return the phrases of all texts so far, if the counter has `pairs`; this can be called only once."""
        if self._pairs is None:
            raise InvalidInput("this counter keeps no pairs of words; create it with pairs=AdjacentPairs()")
        terms = self._numbering.terms
        return self._pairs.phrases(terms, self._documents_with[: len(terms)])

    def _columns(self) -> tuple[Vocabulary, np.ndarray]:
        """Return the vocabulary, and the column of every term by its number (int32; −1 if it has none)."""
        terms = self._numbering.terms.words()
        if self._vocabulary is not None:
            n_known = len(self._vocabulary)
            if not self._grow:
                return self._vocabulary, np.arange(n_known, dtype=np.int32)
            new = np.flatnonzero(self._documents_with[n_known : len(terms)] > 0) + n_known
            column_of = np.full(len(terms), -1, dtype=np.int32)
            column_of[:n_known] = np.arange(n_known)
            column_of[new] = np.arange(n_known, n_known + len(new))
            return self._vocabulary.add(terms.take(pa.array(new))), column_of
        documents_with = self._documents_with[: len(terms)]
        if not documents_with.any():
            raise NoWords(
                f"there are no words in {counted(self.n_documents, 'document')}; are they empty, or all stop words?"
            )
        # Only words within the limits are sorted: a small fraction of n-grams.
        candidates = np.flatnonzero(self._frequent(slice(len(terms)), max_features=None))
        order = candidates[sorted_words(terms.take(pa.array(candidates)))]
        chosen = order[self._frequent(order, max_features=self._limits["max_features"])]
        if not len(chosen):
            raise NoWords(
                f"no word is left of {int((documents_with > 0).sum()):,} in {self.n_documents:,} documents with "
                f"min_df={self._limits['min_df']!r} and max_df={self._limits['max_df']!r}; change them"
            )
        column_of = np.full(len(terms), -1, dtype=np.int32)
        column_of[chosen] = np.arange(len(chosen), dtype=np.int32)
        return Vocabulary(terms.take(pa.array(chosen))), column_of

    def _frequent(self, terms: slice | Ints, *, max_features: int | None) -> Bools:
        """Return a mask of the terms within the limits."""
        documents_with = self._documents_with[terms]
        uses = documents_with if self._binary else self._uses[terms]
        limits: WordLimits = {**self._limits, "max_features": max_features}
        return frequent_enough(documents_with, uses, total_documents=self.n_documents, **limits)

    def _close_block(self) -> None:
        """Merge the rows of many batches into one block, large enough for its memory to be returned when freed."""
        if self._pending:
            starts = np.cumsum([0, *(len(rows.distinct) for rows in self._pending)])
            offsets = [rows.offsets[1:] + start for rows, start in zip(self._pending, starts)]
            self._blocks.append(
                _Rows(
                    np.concatenate([rows.distinct for rows in self._pending]),
                    np.concatenate([rows.counts for rows in self._pending]),
                    np.concatenate([starts[:1], *offsets]),
                )
            )
        self._pending = []
        self._in_blocks = self._written

    def _check_unfinished(self) -> None:
        if self._finished:
            raise InvalidInput("this counter is finished; create a new one for more texts")

    def _make_room(self, n_terms: int) -> None:
        if n_terms > len(self._latest):
            more = max(n_terms, 2 * len(self._latest)) - len(self._latest)
            self._latest = np.concatenate([self._latest, np.full(more, -1, dtype=np.int64)])
            self._documents_with = np.concatenate([self._documents_with, np.zeros(more, dtype=np.int64)])
            self._uses = np.concatenate([self._uses, np.zeros(more, dtype=np.int64)])
