"""Segments: the posting lists of one batch of documents, built in one pass and never changed afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from driftline.compute import current_kernels
from driftline.core.arrays import Ints
from driftline.core.errors import ModelFileError
from driftline.text.lexicon import Lexicon
from driftline.text.rows import value_bytes, value_offsets
from driftline.text.terms import TermNumbering
from driftline.text.tokenise import Tokenizer

Strings: TypeAlias = Any
"""An Arrow array of large strings."""


@dataclass(frozen=True, eq=False)
class Segment:
    """Documents and the positions of their terms.

    The postings of term t are ``docs[term_offsets[t] : term_offsets[t + 1]]``, increasing; posting p has the increasing
    positions ``positions[position_offsets[p] : position_offsets[p + 1]]`` in its document. `lengths` are the numbers of
    terms of the documents, `times` their times in microseconds since 1970. `text` returns the text of a document, from
    memory or from disk.
    """

    words: Strings
    term_offsets: Ints
    docs: np.ndarray
    position_offsets: Ints
    positions: np.ndarray
    lengths: Ints
    times: Ints
    ids: Strings
    text: Callable[[int], str]

    @classmethod
    def of(cls, ids: Strings, times: Ints, texts: Strings, tokenizer: Tokenizer) -> Segment:
        """Build a segment from documents."""
        numbering = TermNumbering(tokenizer)
        numbers, offsets, places = numbering.encode_places(texts)
        used, terms = np.unique(numbers, return_inverse=True)
        term_offsets, docs, position_offsets, positions = current_kernels().postings.gather_postings(
            terms, offsets, places, len(used)
        )
        return cls(
            numbering.terms.words().take(pa.array(used)),
            term_offsets,
            docs,
            position_offsets,
            positions,
            np.diff(offsets),
            times,
            ids,
            lambda doc: str(texts[doc].as_py()),
        )

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def n_tokens(self) -> int:
        """The number of terms in all documents."""
        return len(self.positions)

    @property
    def postings(self) -> tuple[Ints, np.ndarray, Ints, np.ndarray]:
        """The four posting arrays."""
        return self.term_offsets, self.docs, self.position_offsets, self.positions

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words.to_pylist())}

    def number(self, word: str) -> int:
        """Return the number of a term; -1 if no document contains it."""
        return self._numbers.get(word, -1)

    def uses(self, term: int) -> tuple[np.ndarray, Ints]:
        """Return the documents that contain a term, and how often each does."""
        part = slice(self.term_offsets[term], self.term_offsets[term + 1])
        counts = np.diff(self.position_offsets[part.start : part.stop + 1])
        return self.docs[part], counts

    def check(self, where: str) -> Segment:
        """Return the segment if its arrays are consistent, so that compiled loops stay within them."""
        n, n_postings, n_tokens = len(self.lengths), len(self.docs), len(self.positions)
        fits = (
            len(self.times) == len(self.ids) == n
            and _is_partition(self.term_offsets, len(self.words), n_postings)
            and _is_partition(self.position_offsets, n_postings, n_tokens)
            and bool((np.diff(self.position_offsets) > 0).all())
            and bool(((self.docs >= 0) & (self.docs < n)).all())
            and _rises_within(self.docs, self.term_offsets)
            and _rises_within(self.positions, self.position_offsets)
            and bool((self.positions >= 0).all())
            and int(self.lengths.sum()) == n_tokens
            and bool((self.lengths >= 0).all())
        )
        if not fits:
            raise ModelFileError(f"{where} is inconsistent; the index is damaged: build it again")
        return self


def merged(one: Segment, other: Segment) -> Segment:
    """Return one segment with the documents of both, those of `one` first."""
    words = Lexicon()
    numbers = [words.number(part.words) for part in (one, other)]
    terms = np.concatenate([np.repeat(n, np.diff(part.term_offsets)) for n, part in zip(numbers, (one, other))])
    order = np.argsort(terms, kind="stable")
    docs = np.concatenate([one.docs, other.docs + np.int32(len(one))])[order]
    counts = np.concatenate([np.diff(one.position_offsets), np.diff(other.position_offsets)])
    starts = np.concatenate([one.position_offsets[:-1], other.position_offsets[:-1] + one.n_tokens])
    position_offsets = np.concatenate([[0], np.cumsum(counts[order])])
    shifts = np.repeat(starts[order] - position_offsets[:-1], counts[order])
    positions = np.concatenate([one.positions, other.positions])[np.arange(len(shifts)) + shifts]
    n_docs = np.bincount(terms, minlength=len(words))
    return Segment(
        words.words(),
        np.concatenate([[0], np.cumsum(n_docs)]),
        docs,
        position_offsets,
        positions,
        np.concatenate([one.lengths, other.lengths]),
        np.concatenate([one.times, other.times]),
        pa.concat_arrays([one.ids, other.ids]),
        lambda doc: one.text(doc) if doc < len(one) else other.text(doc - len(one)),
    )


def packed(strings: Strings) -> tuple[np.ndarray, Ints]:
    """Return strings as their bytes and offsets into them.

    >>> packed(pa.array(["war", "peace"], pa.large_string()))[1]
    array([0, 3, 8])
    """
    offsets = value_offsets(strings)
    return value_bytes(strings)[offsets[0] : offsets[-1]], offsets - offsets[0]


def unpacked(data: np.ndarray, offsets: Ints, where: str) -> Strings:
    """Return the strings of `packed`, checked."""
    if not _is_partition(offsets, len(offsets) - 1, len(data)):
        raise ModelFileError(f"{where} contains damaged strings; build the index again")
    strings: Strings = pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data))
    try:
        strings.validate(full=True)
    except pa.ArrowInvalid as error:
        raise ModelFileError(f"{where} contains strings that are not UTF-8; build the index again") from error
    return strings


def _is_partition(offsets: Ints, n_parts: int, total: int) -> bool:
    """Return whether offsets divide `total` values into `n_parts` consecutive parts."""
    return (
        len(offsets) == n_parts + 1 > 0
        and int(offsets[0]) == 0
        and int(offsets[-1]) == total
        and bool((np.diff(offsets) >= 0).all())
    )


def _rises_within(values: np.ndarray, offsets: Ints) -> bool:
    """Return whether values increase within each part."""
    rises = np.diff(values.astype(np.int64)) > 0
    between = offsets[(offsets > 0) & (offsets < len(values))] - 1
    rises[between] = True
    return bool(rises.all())
