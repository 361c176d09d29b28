"""Words (not texts) of the documents from which a classifier learned, kept for comparison with new ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.base.state_layout import Anything, Array, Sparse, Together
from driftline.core.arrays import Bools, Counts, Floats, Ints
from driftline.text.counts import count_words
from driftline.text.rows import Texts
from driftline.text.tokenise import Tokenizer
from driftline.text.vocabulary import Vocabulary

MOST_DOCUMENTS = 3000
"""Number of latest documents in the reference."""


class Reference(NamedTuple):
    """The latest documents that were learned: the words that each contains, and how many of these were unknown.

    `n_unknown` is the number of distinct words of a document that the model would not know if it had not learned from
    the day of the document, so that it is comparable with that of new days.
    """

    words: Vocabulary
    contains: sp.csr_matrix
    times: Floats
    n_words: Floats
    n_unknown: Floats

    @classmethod
    def of(cls, texts: Texts, times: Floats, tokenizer: Tokenizer, known: Vocabulary, min_df: float) -> Reference:
        """Return the reference of the documents from which the vocabulary `known` was built."""
        counts, words = count_words(texts, tokenizer)
        present = _presence(counts)
        day = np.unique(np.floor(times), return_inverse=True)[1]
        latest = np.sort(np.argsort(times, kind="stable")[-MOST_DOCUMENTS:])
        least = min_df if isinstance(min_df, int) else np.ceil(min_df * len(times))
        unknown = _unknown_without_own_day(present, day, latest, words.index(known.words), least)
        return cls._ordered(words, present[latest], times[latest], unknown)

    @classmethod
    def _ordered(cls, words: Vocabulary, contains: sp.csr_matrix, times: Floats, n_unknown: Floats) -> Reference:
        order = np.argsort(times, kind="stable")
        used = np.flatnonzero(np.bincount(contains.indices, minlength=contains.shape[1]))
        kept = sp.csr_matrix(contains[order][:, used])
        return cls(
            Vocabulary(words.words[used]), kept, times[order], np.diff(kept.indptr).astype(np.float64), n_unknown[order]
        )

    def joined(self, texts: Texts, tokenizer: Tokenizer) -> tuple[sp.csr_matrix, Vocabulary]:
        """Return the words of the texts of the reference, then of the new ones, and the words of the columns."""
        counts, words = count_words(texts, tokenizer, vocabulary=self.words, grow=True)
        before = self.contains.copy()
        before.resize(before.shape[0], len(words))
        return sp.vstack([before, _presence(counts)], format="csr"), words

    def followed_by(self, texts: Texts, times: Floats, tokenizer: Tokenizer, known: Vocabulary) -> Reference:
        """Return the reference extended by more documents, whose unknown words are counted before they are learned."""
        both, words = self.joined(texts, tokenizer)
        n_unknown = np.concatenate([self.n_unknown, unknown_words(both[len(self.times) :], words, known)])
        when = np.concatenate([self.times, times])
        latest = np.sort(np.argsort(when, kind="stable")[-MOST_DOCUMENTS:])
        return self._ordered(words, both[latest], when[latest], n_unknown[latest])


REFERENCE = Together(
    {
        "words": Anything(),
        "contains": Sparse("reference", "reference words", least=0),
        "times": Array("reference", ordered=True),
        "n_words": Array("reference", least=0),
        "n_unknown": Array("reference", least=0),
    }
)
"""Layout of `Reference` in a saved model."""


def unknown_words(contains: sp.csr_matrix, words: Vocabulary, known: Vocabulary) -> Floats:
    """Return the number of distinct words of each document that are not in the vocabulary `known`.

    >>> unknown_words(sp.csr_matrix([[1, 1, 0], [0, 1, 1]]), Vocabulary(["a", "b", "c"]), Vocabulary(["b"]))
    array([1., 1.])
    """
    is_unknown = known.index(words.words) < 0
    found: Floats = contains @ is_unknown.astype(np.float64)
    return found


def _unknown_without_own_day(present: sp.csr_matrix, day: Ints, rows: Ints, known: Ints, least: float) -> Floats:
    """Return the number of words in each of some rows that would be unknown without the documents of its day."""
    documents_with = np.bincount(present.indices, minlength=present.shape[1])
    in_vocabulary: Bools = np.zeros(present.shape[1], dtype=bool)
    in_vocabulary[known[known >= 0]] = True
    found = np.zeros(len(rows))
    for number in np.unique(day[rows]):
        of_day = np.flatnonzero(day == number)
        without = documents_with - np.bincount(present[of_day].indices, minlength=present.shape[1])
        is_unknown = ~in_vocabulary | (without < least)
        there = np.flatnonzero(day[rows] == number)
        found[there] = present[rows[there]] @ is_unknown.astype(np.float64)
    return found


def _presence(counts: Counts) -> sp.csr_matrix:
    present = sp.csr_matrix(counts, dtype=np.float64, copy=True)
    present.data[:] = 1.0
    return present
