"""Counts of words per batch, by a counter that stays in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.compute import current_kernels
from driftline.core.arrays import Ints
from driftline.inference.pairs import Pairs
from driftline.text.rows import join_rows, split_rows
from driftline.text.stream_cleaning import clean_arriving
from driftline.text.terms import TermNumbering
from driftline.text.tokenise import Tokenizer

NO_SLOT = -1
LINE = "\n"
"""Separator of words in a saved state; no word contains it."""
AT_A_TIME = 5_000
"""Number of words that are Python strings at the same time while all are iterated over."""


class CountedBatch(NamedTuple):
    """Documents as (slot, count) pairs; `rows` is the document of each pair, `unknown` the share of new words."""

    pairs: Pairs
    rows: Ints
    unknown: float


class ResidentWords:
    """Assign slots to the words of arriving texts; a word gets the next slot when it first occurs.

    >>> words = ResidentWords(Tokenizer(stop_words="english"))
    >>> counted = words.count(["rain and wind", "wind, wind and snow"])
    >>> words.words(), counted.pairs.words.tolist(), counted.pairs.counts.tolist()
    (['rain', 'wind', 'snow'], [0, 1, 1, 2], [1.0, 1.0, 2.0, 1.0])
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self._begin(pa.array([], pa.large_string()))

    def _begin(self, known: pa.LargeStringArray) -> None:
        self._numbering = TermNumbering(self.tokenizer, known if len(known) else None)
        self.n_slots = len(known)
        self._slot_of = np.full(max(2 * len(known), 1024), NO_SLOT, dtype=np.int32)
        self._slot_of[: len(known)] = np.arange(len(known))
        self._number_of = np.zeros(max(2 * len(known), 1024), dtype=np.int64)
        self._number_of[: len(known)] = np.arange(len(known))
        self._latest = np.full(len(self._slot_of), -1, dtype=np.int64)
        self._unused = np.zeros((2, len(self._slot_of)), dtype=np.int64)
        self._written = 0

    def count(self, texts: list[str]) -> CountedBatch:
        """Count the words of some texts, including new ones; addresses, ids and markup are not counted."""
        numbers, offsets = self._numbering.encode(pa.array(clean_arriving(texts), pa.large_string()))
        self._make_room(len(self._numbering.terms))
        distinct, counts, offsets = current_kernels().counting.count_rows(
            numbers, offsets, self._latest, self._written, self._unused[0], self._unused[1]
        )
        self._written += len(distinct)
        slots = self._slot_of[distinct]
        n_tokens = float(counts.sum())
        unknown = float(counts[slots == NO_SLOT].sum())
        if (slots == NO_SLOT).any():
            fresh = np.unique(distinct[slots == NO_SLOT])
            new = np.arange(self.n_slots, self.n_slots + len(fresh))
            self._slot_of[fresh] = new
            self._make_slots(self.n_slots + len(fresh))
            self._number_of[new] = fresh
            self.n_slots += len(fresh)
            slots = self._slot_of[distinct]
        rows = np.repeat(np.arange(len(texts)), np.diff(offsets))
        order = np.lexsort((slots, rows))
        pairs = Pairs(offsets.astype(np.int64), slots[order].astype(np.int32), counts[order].astype(np.float32))
        return CountedBatch(pairs, rows, unknown / n_tokens if n_tokens else 0.0)

    def words(self, first: int = 0) -> list[str]:
        """Return the words of the slots, starting with `first`."""
        return self.words_of(np.arange(first, self.n_slots))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the words of all slots; only some are Python strings at the same time."""
        for first in range(0, self.n_slots, AT_A_TIME):
            yield from self.words_of(np.arange(first, min(first + AT_A_TIME, self.n_slots)))

    def words_of(self, slots: Ints) -> list[str]:
        """Return the words of some slots."""
        found: list[str] = self._strings(slots).to_pylist()
        return found

    def _strings(self, slots: Ints | slice) -> pa.LargeStringArray:
        return self._numbering.terms.words().take(pa.array(self._number_of[slots]))

    def to_bytes(self) -> np.ndarray:
        """Return the words of all slots as bytes; no Python string is made of a word, of which there are many."""
        return join_rows(self._strings(slice(self.n_slots)), LINE)

    @classmethod
    def of_bytes(cls, tokenizer: Tokenizer, body: np.ndarray) -> ResidentWords:
        """Continue with the words that `to_bytes` returned."""
        found = cls(tokenizer)
        if len(body):
            found._begin(split_rows(body, LINE))
        return found

    def find(self, words: list[str]) -> Ints:
        """Return the slot of each word, −1 for an unknown word; words are not added."""
        place = pc.index_in(pa.array(words, pa.large_string()), value_set=self._numbering.terms.words())
        numbers = place.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        return np.where(numbers >= 0, self._slot_of[numbers], NO_SLOT).astype(np.int64)

    def use(self, tokenizer: Tokenizer) -> None:
        """Find the words of later texts with another tokenizer; slots stay unchanged."""
        self.tokenizer = tokenizer
        self._begin(self._strings(slice(self.n_slots)))

    def keep(self, slots: Ints) -> None:
        """Remove all words except those of these slots, which are renumbered in this order."""
        self._begin(self._strings(slots))

    def _make_room(self, n_terms: int) -> None:
        if n_terms <= len(self._slot_of):
            return
        more = 2 * n_terms - len(self._slot_of)
        self._slot_of = np.concatenate([self._slot_of, np.full(more, NO_SLOT, dtype=np.int32)])
        self._latest = np.concatenate([self._latest, np.full(more, -1, dtype=np.int64)])
        self._unused = np.concatenate([self._unused, np.zeros((2, more), dtype=np.int64)], axis=1)

    def _make_slots(self, n_slots: int) -> None:
        if n_slots > len(self._number_of):
            more = np.zeros(2 * n_slots - len(self._number_of), dtype=np.int64)
            self._number_of = np.concatenate([self._number_of, more])
