"""All counted words and documents, packed into the page within its size.

Two blocks are packed: the words with the items they are in, and the ids and texts of the documents. Each is a header in
JSON and binary parts, compressed (zlib) and in base64. Lists of items are differences, seven bits per byte, so that
most take one byte. Content that does not fit is left out and reported: first, texts are shortened; then the rarest
words are dropped, except those that the page links to, then texts and ids of some documents, evenly over time.
"""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.analysis.findings.explorable import Explorable, Groups
from driftline.core.arrays import Bools, Ints
from driftline.core.display import all_visible
from driftline.report.short_ids import short_ids

PAGE_BYTES = 10_000_000
"""Default size of a page with everything to explore."""
LEAST_BYTES = 1_000_000
"""Minimum space for words and documents, whatever the size of the rest of the page."""
SHORTER = (400, 280, 200, 140, 100, 70)
"""Lengths to which texts are cut, the longest that fits."""
WORDS_SHARE = 0.8
"""Largest share that words may use of the space left by the times and groups of the documents."""
GROUPS = ("labels", "authors", "sources")
"""Groups of documents that a reader can choose."""
_BASE64 = 4 / 3


@dataclass(frozen=True)
class LeftOut:
    """Words and documents that are not on the page; zeros if all are.

    `n_words` words are missing, each in at most `most_documents` documents; texts are cut to `text_length` characters,
    and `n_texts` documents have none.
    """

    n_words: int = 0
    most_documents: int = 0
    text_length: int = 0
    n_texts: int = 0


@dataclass(frozen=True)
class PackedIndex:
    """The two blocks in base64, and what was left out."""

    words: str
    texts: str
    left_out: LeftOut


def packed_index(found: Explorable, room: int, first: Collection[str] = ()) -> PackedIndex:
    """Return the words and documents in at most about `room` bytes; the words of `first` are dropped last."""
    in_base64 = int(room / _BASE64)
    kept, words = _fitting_words(found, in_base64, frozenset(first))
    length, texts, n_texts = _fitting_texts(found, in_base64 - len(words))
    sizes = np.diff(found.items.indptr)
    dropped = int(sizes[~kept].max(initial=0)) if not kept.all() else found.left_out_documents
    left_out = LeftOut(int((~kept).sum()) + found.n_left_out, dropped, length, n_texts)
    return PackedIndex(base64.b64encode(words).decode(), base64.b64encode(texts).decode(), left_out)


def _fitting_words(found: Explorable, room: int, first: frozenset[str]) -> tuple[Bools, bytes]:
    """Return the words that fit into their share, those of `first` and then the most frequent, and their block."""
    documents = np.diff(found.items.indptr)
    before = np.fromiter((word in first for word in found.words), dtype=np.bool_, count=len(found.words))
    ranks = documents + before * (int(documents.max(initial=0)) + 1)
    kept = np.ones(len(ranks), dtype=np.bool_)
    packed = _packed_words(found, kept)
    if len(packed) <= WORDS_SHARE * room:
        return kept, packed
    fixed = len(_packed_words(found, ~kept))
    room = fixed + int(WORDS_SHARE * max(room - fixed, 0))
    while len(packed) > room and kept.sum() > 1:
        # Postings and words share the space; drop the rarest, slightly more than the estimate requires
        wanted = 0.9 * max(room - fixed, 0) / max(len(packed) - fixed, 1) * (documents[kept] + 8).sum()
        order = np.argsort(-ranks, kind="stable")
        fits = int(np.searchsorted(np.cumsum(documents[order] + 8), wanted))
        least = max(int(ranks[order[min(fits, len(order) - 1)]]) + 1, int(ranks[kept].min()) + 1)
        kept = ranks >= min(least, int(ranks.max()))
        packed = _packed_words(found, kept)
        if least > int(ranks.max()):
            break
    return kept, packed


def _packed_words(found: Explorable, kept: Bools) -> bytes:
    columns = np.flatnonzero(kept)
    place = np.full(len(kept), -1)
    place[columns] = np.arange(len(columns))
    items = found.items if kept.all() else found.items[:, columns]
    items.sort_indices()
    sizes = np.diff(items.indptr)
    steps = np.diff(items.indices, prepend=-1).astype(np.int64)
    firsts = items.indptr[:-1][sizes > 0]
    steps[firsts] = items.indices[firsts].astype(np.int64) + 1
    header = {
        "words": all_visible([found.words[column] for column in columns]),
        "n_items": int(items.shape[0]),
        "n_documents": len(found.times),
        "bandwidth": found.bandwidth,
        "cycles": _cycles(found, place),
        **{name: _kept_words(getattr(found, name), place) for name in ("events", "last")},
        **{name: _names(getattr(found, name)) for name in GROUPS},
        "unit": found.unit_kind,
        "exchanged_unit": found.exchanged_kind,
        "noun": found.noun,
    }
    times = found.times.astype("datetime64[s]").astype(np.int64)
    parts = {
        "when": found.when.astype("<f8").tobytes(),
        "unit_times": found.unit_times.astype("<f8").tobytes(),
        "sizes": varints(sizes),
        "postings": varints(steps - 1),
        "document": differences(found.document),
        "unit": differences(found.unit),
        "exchanged": differences(found.exchanged),
        "times": differences(times),
        **{name: _codes(getattr(found, name)) for name in GROUPS},
    }
    return _block(header, parts)


def _kept_words(columns: Ints, place: Ints) -> list[int]:
    numbers: list[int] = place[columns][place[columns] >= 0].tolist()
    return numbers


def _cycles(found: Explorable, place: Ints) -> list[dict[str, object]]:
    return [
        {"word": int(place[column]), "period": each.period, "profile": each.profile[row].tolist()}
        for each in found.cycles
        for row, column in enumerate(each.columns)
        if place[column] >= 0
    ]


def _names(groups: Groups | None) -> list[str] | None:
    return None if groups is None else all_visible(groups.names)


def _codes(groups: Groups | None) -> bytes:
    return b"" if groups is None else varints(groups.codes + 1)


def _fitting_texts(found: Explorable, room: int) -> tuple[int, bytes, int]:
    """Return the length at which texts were cut (0: not at all), their block, and how many documents have none."""
    n = len(found.times)
    for length in SHORTER:
        cut = _cut(found.texts, length)
        packed = _packed_texts(found, cut, None)
        if len(packed) <= room:
            return (length if length < SHORTER[0] else 0), packed, 0
    share = room / max(len(packed), 1)
    while True:
        chosen = np.unique(np.linspace(0, n - 1, max(int(share * n), 0)).astype(np.int64)) if n else np.zeros(0, int)
        packed = _packed_texts(found, cut, chosen)
        if len(packed) <= room or not len(chosen):
            return SHORTER[-1], packed, n - len(chosen)
        share *= 0.8 * room / len(packed)


def _cut(texts: pa.ChunkedArray, length: int) -> pa.ChunkedArray:
    if length >= SHORTER[0]:
        return texts
    short = pc.replace_substring_regex(pc.utf8_slice_codeunits(texts, 0, length), r"\s\S*$", " …")
    found: pa.ChunkedArray = pc.if_else(pc.greater(pc.utf8_length(texts), length), short, texts)
    return found


def _packed_texts(found: Explorable, texts: pa.ChunkedArray, chosen: Ints | None) -> bytes:
    shown = texts if chosen is None else texts.take(pa.array(chosen))
    ids = found.ids if chosen is None else found.ids.take(pa.array(chosen))
    header = {"n": len(found.times), "with_text": None if chosen is None else chosen.tolist()}
    return _block(header, {"ids": _lines(short_ids(ids)), "texts": _lines(shown)})


def _lines(texts: pa.ChunkedArray) -> bytes:
    """Return texts that a page may show, one per line: `visible` leaves no line break in them."""
    return "\n".join(all_visible(texts.to_pylist())).encode()


def _block(header: Mapping[str, object], parts: Mapping[str, bytes]) -> bytes:
    named = {**header, "parts": [[name, len(part)] for name, part in parts.items()]}
    encoded = json.dumps(named, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    return zlib.compress(b"".join([struct.pack("<I", len(encoded)), encoded, *parts.values()]), 6)


def varints(values: Ints | Sequence[int]) -> bytes:
    """Return numbers of at least 0 as seven bits per byte, the lowest first.

    >>> varints([0, 127, 128, 300]).hex()
    '007f8001ac02'
    """
    left = np.asarray(values, dtype=np.uint64)
    if not len(left):
        return b""
    n_bytes = np.ones(len(left), dtype=np.int64)
    for bits in range(7, 64, 7):
        n_bytes += left >= np.uint64(1) << np.uint64(bits)
    ends = np.cumsum(n_bytes)
    result = np.zeros(int(ends[-1]), dtype=np.uint8)
    starts = ends - n_bytes
    for place in range(int(n_bytes.max())):
        more = n_bytes > place
        byte = (left[more] >> np.uint64(7 * place)) & np.uint64(127)
        follows = (n_bytes[more] > place + 1).astype(np.uint8) << 7
        result[starts[more] + place] = byte.astype(np.uint8) | follows
    return result.tobytes()


def differences(values: Ints) -> bytes:
    """Return numbers as `varints` of their differences, twice the size, odd if the difference is negative.

    >>> differences(np.array([3, 3, 1])).hex()
    '060003'
    """
    steps = np.diff(np.asarray(values, dtype=np.int64), prepend=0)
    return varints(np.where(steps >= 0, 2 * steps, -2 * steps - 1))
