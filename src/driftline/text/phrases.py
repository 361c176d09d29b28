r"""Phrases: pairs of words that are adjacent far more often than by chance.

With :math:`p_{ab}` the share of the documents in which :math:`b` follows :math:`a` directly, and :math:`p_a, p_b` the
shares with either word, a pair is a phrase if it is in at least 8 documents and in at least half of those with the
rarer word, and its normalised pointwise mutual information is at least one half:

.. math:: \mathrm{NPMI} = \frac{\log\bigl(p_{ab} / (p_a p_b)\bigr)}{-\log p_{ab}} \ge \tfrac12

Phrases are counted separately from words. A use of a phrase is a use of its two words, so phrases must not be added to
a number of words.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy.sparse as sp

from driftline.core.arrays import Bools, Counts, Ints
from driftline.text.lexicon import Lexicon
from driftline.text.vocabulary import Vocabulary, sorted_words

LEAST_DOCUMENTS = 8
LEAST_NPMI = 0.5
LEAST_SHARE = 0.5
_SPACE = pa.scalar(" ", pa.large_string())
_SKETCH = 1 << 22
"""Number of cells of the sketch that counts pairs approximately, to drop rare ones before sorting."""


class Phrases(NamedTuple):
    """The phrases of documents: the words joined by one space, and documents × phrases as CSR counts."""

    vocabulary: Vocabulary
    counts: Counts


class AdjacentPairs:
    """Keeps the pairs of adjacent words, neither a stop word, while a `WordCounter` counts the words.

    >>> from driftline.text import Tokenizer, WordCounter
    >>> counter = WordCounter(Tokenizer(), pairs=AdjacentPairs(stop_words=["in", "the", "on"]))
    >>> counter.add(["War in Sierra Leone"] * 9 + ["the war goes on and on"] * 20)
    >>> phrases = counter.phrases()
    >>> list(phrases.vocabulary), phrases.counts.shape, int(phrases.counts.sum())
    (['sierra leone'], (29, 1), 9)
    """

    def __init__(self, stop_words: Collection[str] = ()) -> None:
        self._stop_words = pa.array(sorted(stop_words), pa.large_string())
        self._stopped: Bools = np.zeros(0, dtype=np.bool_)
        self._kept: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self._n_rows = 0

    def add(self, numbers: np.ndarray, offsets: Ints, adjacent: Bools, lexicon: Lexicon) -> None:
        """Keep the pairs of one batch; `lexicon` is that of the words' numbers."""
        new = pc.is_in(lexicon.words(len(self._stopped)), value_set=self._stop_words)
        self._stopped = np.concatenate([self._stopped, new.to_numpy(zero_copy_only=False)])
        content = ~self._stopped[numbers]
        begins = np.flatnonzero(adjacent[:-1] & content[:-1] & content[1:])
        rows = np.searchsorted(offsets, begins, side="right").astype(np.int32) - 1 + self._n_rows
        self._kept.append((rows, numbers[begins], numbers[begins + 1]))
        self._n_rows += len(offsets) - 1

    def phrases(self, lexicon: Lexicon, documents_with: Ints) -> Phrases:
        """Return the pairs that are phrases, in alphabetical order, and discard all pairs.

        `documents_with` is the number of documents with each word of the lexicon.
        """
        rows, first, second = self._frequent(documents_with)
        key = first * np.int64(len(lexicon)) + second
        order = np.lexsort((rows, key))
        rows, key = rows[order], key[order]
        new_pair = np.diff(key, prepend=-1) != 0
        new_place = new_pair | (np.diff(rows, prepend=-1) != 0)
        number = np.cumsum(new_pair) - 1
        pairs = key[new_pair]
        a, b = pairs // len(lexicon), pairs % len(lexicon)
        n_both = np.bincount(number[new_place], minlength=len(pairs))
        good = np.flatnonzero(_are_phrases(n_both, documents_with[a], documents_with[b], self._n_rows))
        words = lexicon.words()
        spelled = pc.binary_join_element_wise(words.take(pa.array(a[good])), words.take(pa.array(b[good])), _SPACE)
        alphabetical = sorted_words(spelled)
        column = np.full(len(pairs), -1, dtype=np.int64)
        column[good[alphabetical]] = np.arange(len(good))
        chosen = column[number] >= 0
        uses = np.ones(int(chosen.sum()), dtype=np.int32)
        counts = sp.csr_matrix((uses, (rows[chosen], column[number[chosen]])), shape=(self._n_rows, len(good)))
        return Phrases(Vocabulary(spelled.take(pa.array(alphabetical))), counts)

    def _frequent(self, documents_with: Ints) -> tuple[Ints, Ints, Ints]:
        """Return row, first and second word of every pair that may be in enough documents.

        A pair occurs at least once per document, and a cell of the sketch counts at least its own pairs, so no pair is
        lost here that `_are_phrases` would accept. Batches are freed one by one: pairs use most of the memory of
        counting.
        """
        sketch = np.zeros(_SKETCH, dtype=np.int64)
        for _, first, second in self._kept:
            np.add.at(sketch, _cells(first, second), 1)
        parts = [(np.zeros(0, np.int32),) * 3]
        self._kept.reverse()
        while self._kept:
            rows, first, second = self._kept.pop()
            rarer = np.minimum(documents_with[first], documents_with[second])
            often = sketch[_cells(first, second)] >= np.maximum(LEAST_SHARE * rarer, LEAST_DOCUMENTS)
            often &= rarer >= LEAST_DOCUMENTS
            parts.append((rows[often], first[often], second[often]))
        rows, first, second = (np.concatenate(part).astype(np.int64) for part in zip(*parts, strict=True))
        return rows, first, second


def _cells(first: Ints, second: Ints) -> Ints:
    """Return the cell of the sketch in which each pair is counted."""
    return (first.astype(np.int64) * 2654435761 + second) % _SKETCH


def _are_phrases(n_both: Ints, n_first: Ints, n_second: Ints, n_documents: int) -> Bools:
    """Return a mask of the phrases among pairs, given the numbers of documents with the pair and with either word."""
    with np.errstate(divide="ignore", invalid="ignore"):
        npmi = np.log(n_both * float(n_documents) / (n_first * n_second.astype(float))) / np.log(n_documents / n_both)
    # A pair that is in every document has an undefined NPMI and is not informative.
    enough = (n_both >= LEAST_DOCUMENTS) & (n_both < n_documents)
    found: Bools = enough & (npmi >= LEAST_NPMI) & (n_both >= LEAST_SHARE * np.minimum(n_first, n_second))
    return found
