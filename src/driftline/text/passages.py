"""Boilerplate within lines: runs of words that are the same in many documents, such as the names of share buttons.

A passage is left out if ten consecutive words of it are in at least max(10, 0.5 %) of the documents, and at least a
tenth of all documents lie between the first and the last of these: a passage that many documents quote within a few
days is news. Shorter runs are names and idioms. Numbers and single characters are ignored: columns of figures look
similar without being copied. Documents must be in time order.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Ints
from driftline.text.boilerplate import LEAST_DOCUMENTS, LEAST_SHARE
from driftline.text.characters import character_table
from driftline.text.left_out import Tally
from driftline.text.lexicon import Lexicon
from driftline.text.rows import value_bytes, value_offsets

WIDTH = 10
"""Number of consecutive words that must match."""
LEAST_SPREAD = 0.1
"""Minimum share of the documents between the first and the last one with a passage."""
CELLS = 1 << 21
"""Number of cells of each of the two tables in which windows are counted."""


def drop_passages(texts: pa.ChunkedArray, tally: Tally) -> pa.ChunkedArray:
    """Replace the passages that many texts share by spaces, and tally them.

    >>> share = "share this by mail or post it on all your walls"
    >>> towns = "Rome Oslo Bern Riga Kyiv Baku Lima Doha Cairo Delhi Paris Quito".split()
    >>> texts = [f"Rain in {town}. {share}" for town in towns]
    >>> drop_passages(pa.chunked_array([texts], pa.large_string()), Tally())[0].as_py().strip()
    'Rain in Rome.'
    """
    spellings = _Spellings()
    cells = np.zeros((2, CELLS, 3), dtype=np.int32)
    first = 0
    for chunk in texts.chunks:
        words, offsets, _, _ = spellings.find(chunk)
        current_kernels().passages.count_windows(words, offsets, WIDTH, first, cells)
        first += len(chunk)
    least = max(LEAST_DOCUMENTS, int(np.ceil(LEAST_SHARE * len(texts))))
    if cells[0, :, 0].max(initial=0) < least:
        return texts
    return pa.chunked_array([_blanked(chunk, spellings, cells, least, len(texts), tally) for chunk in texts.chunks])


def _blanked(
    texts: pa.LargeStringArray, spellings: _Spellings, cells: np.ndarray, least: int, n: int, tally: Tally
) -> pa.LargeStringArray:
    words, offsets, starts, ends = spellings.find(texts)
    marked = current_kernels().passages.mark_windows(words, offsets, WIDTH, cells, least, int(LEAST_SPREAD * n))
    if not marked.any():
        return texts
    # The bytes of a slice are those of the whole array: only its own part is copied.
    places = value_offsets(texts) - value_offsets(texts)[0]
    data = value_bytes(texts)[value_offsets(texts)[0] :][: places[-1]].copy()
    starts, ends = starts - value_offsets(texts)[0], ends - value_offsets(texts)[0]
    examples = _examples(data, starts, ends, marked) if tally.wants_examples("passages") else []
    n_runs = current_kernels().passages.blank_words(data, starts, ends, offsets, marked)
    n_documents = int((np.diff(np.concatenate([[0], np.cumsum(marked)])[offsets]) > 0).sum())
    tally.add("passages", "passage", n_runs, n_documents, examples)
    return pa.LargeStringArray.from_buffers(len(texts), pa.py_buffer(places), pa.py_buffer(data))


def _examples(data: np.ndarray, starts: Ints, ends: Ints, marked: np.ndarray) -> list[str]:
    """Return the first few runs of marked words."""
    edges = np.flatnonzero(np.diff(marked.astype(np.int8), prepend=0, append=0))
    runs = edges.reshape(-1, 2)[:20]
    return [data[starts[begin] : ends[stop - 1]].tobytes().decode() for begin, stop in runs]


class _Spellings:
    """Numbers the words of at least two characters that are not all numerals."""

    def __init__(self) -> None:
        self._lexicon = Lexicon()
        self._is_number: Bools = np.zeros(0, dtype=np.bool_)

    def find(self, texts: pa.LargeStringArray) -> tuple[np.ndarray, Ints, Ints, Ints]:
        """Return the words of all rows, the rows' offsets into them, and where the words start and end in bytes."""
        data = value_bytes(texts)
        starts, ends, offsets = current_kernels().counting.find_words(
            data, value_offsets(texts), character_table("w"), 2
        )
        numbers = self._lexicon.number_slices(data, starts, ends)
        new = pc.match_substring_regex(self._lexicon.words(len(self._is_number)), "^[0-9_]+$")
        self._is_number = np.concatenate([self._is_number, new.to_numpy(zero_copy_only=False)])
        kept = ~self._is_number[numbers]
        return numbers[kept], np.concatenate([[0], np.cumsum(kept)])[offsets], starts[kept], ends[kept]
