"""Number of documents with each word per period, from a consistent view of the store and of the counts in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.service.live import Live
from driftline.service.store import period_words
from driftline.service.store.database import Database
from driftline.service.store.keys import period_starts
from driftline.service.store.period_words import (
    Counted,
    add_counts,
    blocks_of,
    counts_of,
    most_of_blocks,
    read_block,
    spans_of,
)


class PeriodCounts:
    """The counts of the periods of a level from `first` to `last`, read block by block.

    With `cut`, the last period ends after the hour of `last`. The counts in memory are copied at once; the caller reads
    again if some of them moved to the store meanwhile (`Readers.settled`).
    """

    def __init__(self, writer: Live, database: Database, level: int, first: int, last: int, *, cut: bool) -> None:
        self._database, self._level = database, level
        self._spans = spans_of(level, first, last, cut=cut)
        self._recent: dict[int, list[tuple[int, Counted]]] = {}
        increments = writer.state.increments
        begin = int(period_starts(np.array([first]), level)[0])
        parts: dict[int, list[Counted]] = {}
        for hour in list(increments.topics):
            if begin <= hour <= last:
                parts.setdefault(self._period(hour), []).append(increments.words(hour))
        for start, several in parts.items():
            for block, part in blocks_of(add_counts(several)):
                self._recent.setdefault(block, []).append((start, part))

    def _period(self, moment: int) -> int:
        return int(period_starts(np.array([moment]), self._level)[0])

    def block(self, block: int) -> list[tuple[int, Counted]]:
        """Return (start, counts) of the words of a block; the rows of a period have to be added."""
        stored = [(self._period(start), part) for start, part in read_block(self._database, block, self._spans)]
        return stored + self._recent.get(block, [])

    def blocks(self, fewest: int) -> list[int]:
        """Return the blocks in which a word may have at least `fewest` documents over all periods."""
        most = most_of_blocks(self._database, self._spans)
        for block, parts in self._recent.items():
            most[block] = most.get(block, 0) + sum(int(part.counts.max()) for _, part in parts)
        return sorted(block for block, n in most.items() if n >= fewest)

    def of_words(self, words: Ints, starts: Ints) -> Floats:
        """Return periods × words: the number of documents with each of some words in each of some periods."""
        table = np.zeros((len(starts), len(words)))
        block_of = words // period_words.BLOCK
        for block in np.unique(block_of).tolist():
            columns = np.flatnonzero(block_of == block)
            for start, part in self.block(block):
                row = int(np.searchsorted(starts, start))
                if row < len(starts) and starts[row] == start:
                    table[row, columns] += counts_of(part, words[columns])
        return table

    def totals(self, edge: int, fewest: int) -> Iterator[tuple[Ints, Floats, Floats]]:
        """Yield, by block, the words with at least `fewest` documents, and their counts before `edge` and since."""
        for block in self.blocks(fewest):
            both, first = np.zeros((2, period_words.BLOCK)), block * period_words.BLOCK
            for start, part in self.block(block):
                both[int(start >= edge), part.words - first] += part.counts
            enough = np.flatnonzero(both.sum(axis=0) >= fewest)
            yield enough + first, both[0, enough], both[1, enough]
