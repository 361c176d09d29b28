"""A growing set of distinct words, numbered in order of first occurrence."""

from __future__ import annotations

import secrets

import numpy as np
import pyarrow as pa

from driftline.compute import current_kernels
from driftline.compute.word_table import WordTable
from driftline.core.arrays import Ints
from driftline.text.rows import value_bytes, value_offsets


class Lexicon:
    """Words → 0, 1, 2, … and back, stored as bytes in a hash table: Python strings are created only on request.

    >>> lexicon = Lexicon()
    >>> lexicon.number(pa.array(["war", "peace", "war"], pa.large_string()))
    array([0, 1, 0], dtype=int32)
    >>> lexicon.words().to_pylist()
    ['war', 'peace']
    """

    def __init__(self) -> None:
        self._n_words = 0
        # The secret key protects the hash table against crafted documents. Numbers do not depend on it.
        key = np.frombuffer(secrets.token_bytes(16), dtype=np.uint64)
        self._table = WordTable(
            letters=np.empty(1024, dtype=np.uint8),
            ends=np.zeros(129, dtype=np.int64),
            hashes=np.empty(128, dtype=np.uint64),
            slots=np.full(256, -1, dtype=np.int32),
            key=key,
        )

    def __len__(self) -> int:
        return self._n_words

    @property
    def table(self) -> WordTable:
        """The underlying arrays, for compiled loops; they are replaced as the lexicon grows."""
        return self._table

    def words(self, first: int = 0) -> pa.LargeStringArray:
        """Return the words whose numbers are at least `first`."""
        # The bytes of existing words never change, so they can be shared with the table.
        ends = pa.py_buffer(self._table.ends[first : self._n_words + 1])
        return pa.LargeStringArray.from_buffers(self._n_words - first, ends, pa.py_buffer(self._table.letters))

    def number(self, words: pa.LargeStringArray) -> np.ndarray:
        """Return the numbers of the words (int32); a new one gets the next number."""
        offsets = value_offsets(words)
        return self.number_slices(value_bytes(words), offsets[:-1], offsets[1:])

    def number_slices(self, data: np.ndarray, starts: Ints, ends: Ints) -> np.ndarray:
        """Return the numbers of the words ``data[starts[k]:ends[k]]`` (int32); a new one gets the next number."""
        self._reserve(len(starts), int((ends - starts).sum()))
        numbers: np.ndarray
        numbers, self._n_words = current_kernels().counting.number_words(data, starts, ends, self._table, self._n_words)
        return numbers

    def _reserve(self, n_words: int, n_bytes: int) -> None:
        """Reserve space for a number of words and bytes: at least doubling, so that the total cost stays linear."""
        letters, ends, hashes, slots, key = self._table
        used = int(ends[self._n_words])
        if used + n_bytes > len(letters):
            letters = _enlarged(letters, used, max(used + n_bytes, 2 * len(letters)))
        if self._n_words + n_words > len(hashes):
            size = max(self._n_words + n_words, 2 * len(hashes))
            ends = _enlarged(ends, self._n_words + 1, size + 1)
            hashes = _enlarged(hashes, self._n_words, size)
        # The table is at most half full before a batch; after a batch of only new words, a fifth of it is still free.
        if 2 * self._n_words > len(slots) or 5 * (self._n_words + n_words) > 4 * len(slots):
            wanted = max(2 * self._n_words, (5 * (self._n_words + n_words)) // 4 + 1)
            slots = np.full(1 << wanted.bit_length(), -1, dtype=np.int32)
            current_kernels().counting.refill_slots(hashes[: self._n_words], slots)
        self._table = WordTable(letters, ends, hashes, slots, key)


def _enlarged(array: np.ndarray, used: int, size: int) -> np.ndarray:
    larger = np.empty(size, dtype=array.dtype)
    larger[:used] = array[:used]
    return larger
