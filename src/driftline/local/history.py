"""The data of a local model: the documents in time order, and their counts by distinct time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.core.arrays import Counts, Floats, Ints
from driftline.smoothing.dispersion import dispersion
from driftline.smoothing.grouping import group_sums
from driftline.smoothing.kernels import Kernel
from driftline.smoothing.running_sums import running_sums, sums_at_pairs


class History(NamedTuple):
    """Counts by distinct time, and the mapping of a document's entries to them.

    `counts` is a CSC matrix, distinct times × words. Entries (one per document and word) are in its order: entry e
    belongs to the stored count ``entry_position[e]``, to the document ``entry_document[e]`` and counts
    ``entry_count[e]``. `forgotten` are the counts of older documents that are no longer kept individually: only an
    infinite bandwidth reaches them.
    """

    times: Floats
    counts: sp.csc_array
    tokens: Floats
    token_pairs: Floats
    document_tokens: Floats
    document_time: Ints
    entry_position: Ints
    entry_document: Ints
    entry_count: Floats
    forgotten: Floats | None = None

    @classmethod
    def of(cls, rows: Counts, row_times: Floats, forgotten: Floats | None = None) -> History:
        """Group documents (CSR, in time order) by their time."""
        times, document_time = np.unique(row_times, return_inverse=True)
        n_times = max(len(times), 1)
        by_word = sp.csc_array(rows)
        entry_document = by_word.indices.astype(np.int64)
        word = np.repeat(np.arange(by_word.shape[1], dtype=np.int64), np.diff(by_word.indptr))
        key = word * n_times + document_time[entry_document]
        first = np.empty(len(key), dtype=np.bool_)
        first[:1] = True
        np.not_equal(key[1:], key[:-1], out=first[1:])
        position = np.cumsum(first, dtype=np.int64) - 1
        data = group_sums(position, by_word.data, int(first.sum()))
        indptr = np.searchsorted(word[first], np.arange(by_word.shape[1] + 1)).astype(by_word.indptr.dtype)
        indices = (key[first] % n_times).astype(by_word.indptr.dtype)
        lengths = np.asarray(rows.sum(axis=1), dtype=np.float64).ravel()
        return cls(
            times=times,
            counts=sp.csc_array((data, indices, indptr), shape=(len(times), by_word.shape[1])),
            tokens=group_sums(document_time, lengths, len(times)),
            token_pairs=group_sums(document_time, np.maximum(lengths * (lengths - 1), 0), len(times)),
            document_tokens=lengths,
            document_time=document_time,
            entry_position=position,
            entry_document=entry_document,
            entry_count=by_word.data,
            forgotten=forgotten,
        )

    @property
    def total_tokens(self) -> float:
        """The number of words in all documents."""
        return float(self.tokens.sum())

    @property
    def word_totals(self) -> Floats:
        """The number of uses of each word in all documents."""
        return np.asarray(self.counts.sum(axis=0)).ravel()

    @property
    def entry_word(self) -> Ints:
        """The word of every entry."""
        stored = np.repeat(np.arange(self.counts.shape[1], dtype=np.int64), np.diff(self.counts.indptr))
        return stored[self.entry_position]

    def token_sums(self, when: Floats, kernel: Kernel, bandwidth: float) -> Floats:
        """Return the weighted number of words around each requested time."""
        sums = running_sums(sp.csc_array(self.tokens[:, None]), self.times, when, kernel, bandwidth)[:, 0]
        return sums if self.forgotten is None or np.isfinite(bandwidth) else sums + self.forgotten.sum()

    def word_sums(self, when: Floats, kernel: Kernel, bandwidth: float, words: Ints | None = None) -> Floats:
        """Return the weighted count of every word (or of some) around each requested time."""
        chosen: slice | Ints = slice(None) if words is None else words
        counts = self.counts if words is None else self.counts[:, words]
        sums = running_sums(counts, self.times, when, kernel, bandwidth)
        return sums if self.forgotten is None or np.isfinite(bandwidth) else sums + self.forgotten[chosen]

    def pair_sums(self, indptr: Ints, pair_times: Floats, kernel: Kernel, bandwidth: float) -> Floats:
        """Return the weighted counts only at (word, time) pairs, in the layout of `sums_at_pairs`."""
        sums = sums_at_pairs(self.counts, self.times, indptr, pair_times, kernel, bandwidth)
        if self.forgotten is None or np.isfinite(bandwidth):
            return sums
        return sums + np.repeat(self.forgotten, np.diff(indptr))

    def gathered(self, group: Ints, n_groups: int) -> History:
        """Return a history in which the words of each group count as one; entries remain those of the words."""
        n_words = len(group)
        belongs = sp.csc_array((np.ones(n_words), (np.arange(n_words), group)), shape=(n_words, n_groups))
        counts = sp.csc_array(self.counts @ belongs)
        counts.sort_indices()
        return self._replace(counts=counts, forgotten=None if self.forgotten is None else self.forgotten @ belongs)

    def dispersion(self, kernel_name: str, bandwidth: float) -> Floats:
        """Return the over-dispersion of every word, around two-sided estimates at this bandwidth."""
        kernel = Kernel(kernel_name)
        tokens = self.document_tokens[self.entry_document]
        counts = self.sums_at_own_times(kernel, bandwidth)[self.entry_position] - self.entry_count
        mass = self.token_sums(self.times, kernel, bandwidth)[self.document_time][self.entry_document] - tokens
        with np.errstate(divide="ignore", invalid="ignore"):
            elsewhere = np.where(mass > 0, np.clip(counts / mass, 0.0, 1.0), 0.0)
        return dispersion(self.entry_word, self.entry_count, tokens, elsewhere, self.counts.shape[1])

    def sums_at_own_times(self, kernel: Kernel, bandwidth: float) -> Floats:
        """Return the weighted count of each stored word around its own stored time."""
        return sums_at_pairs(
            self.counts, self.times, self.counts.indptr, self.times[self.counts.indices], kernel, bandwidth
        )
