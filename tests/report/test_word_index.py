from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import struct
import zlib

import numpy as np
import pyarrow as pa
import pytest

from driftline.report import word_index
from driftline.report.word_index import LeftOut, differences, packed_index, varints
from tests.report.explorable_factory import explorable


def read_varints(data):
    found, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            found.append(value)
            value, shift = 0, 0
    return found


def read_differences(data):
    steps = [-(n + 1) // 2 if n % 2 else n // 2 for n in read_varints(data)]
    return np.cumsum(steps).tolist()


def unpacked(block):
    data = zlib.decompress(base64.b64decode(block))
    (length,) = struct.unpack("<I", data[:4])
    header, start, parts = json.loads(data[4 : 4 + length]), 4 + length, {}
    for name, size in header["parts"]:
        parts[name] = data[start : start + size]
        start += size
    assert start == len(data)
    return header, parts


@pytest.mark.parametrize("values", [[], [0], [127, 128, 16_383, 16_384, 2**40, 2**62], list(range(1000))])
def test_numbers_are_read_back(values):
    assert read_varints(varints(values)) == values
    signed = [(-1) ** i * value for i, value in enumerate(values)]
    assert read_differences(differences(np.array(signed, dtype=np.int64))) == signed


def test_every_word_and_document_is_read_back():
    found = explorable()
    packed = packed_index(found, 10_000_000)
    header, parts = unpacked(packed.words)
    assert header["words"] == list(found.words)
    sizes, steps = read_varints(parts["sizes"]), iter(read_varints(parts["postings"]))
    for word, size in enumerate(sizes):
        items = np.cumsum([next(steps) + 1 for _ in range(size)]) - 1
        assert items.tolist() == found.items.indices[found.items.indptr[word] : found.items.indptr[word + 1]].tolist()
    assert read_differences(parts["times"]) == found.times.astype(np.int64).tolist()
    assert np.frombuffer(parts["unit_times"]).tolist() == found.unit_times.tolist()
    for name in ("labels", "authors", "sources"):
        groups = getattr(found, name)
        assert header[name] == list(groups.names)
        assert read_varints(parts[name]) == (groups.codes + 1).tolist()
    header, parts = unpacked(packed.texts)
    assert parts["texts"].decode().split("\n") == found.texts.to_pylist()
    assert parts["ids"].decode().split("\n") == found.ids.to_pylist()
    assert packed.left_out == LeftOut()


@pytest.mark.parametrize("room", [60_000, 30_000, 12_000])
def test_what_does_not_fit_is_left_out_and_counted(room):
    found = explorable([f"word{i:03}" for i in range(300)])
    packed = packed_index(found, room)
    header, _ = unpacked(packed.words)
    left = packed.left_out
    assert len(packed.words) + len(packed.texts) <= max(1.05 * room, 15_000), "a header and the ids are always there"
    assert left.n_words + len(header["words"]) == len(found.words)
    sizes = np.diff(found.items.indptr)
    kept = np.isin(found.words, header["words"])
    if left.n_words:
        assert sizes[~kept].max() == left.most_documents < sizes[kept].min()
    texts = unpacked(packed.texts)
    n_texts = len(found.times) if texts[0]["with_text"] is None else len(texts[0]["with_text"])
    assert n_texts == len(found.times) - left.n_texts
    if left.text_length:
        assert max(len(text) for text in texts[1]["texts"].decode().split("\n")) <= left.text_length + 2
    assert left != LeftOut()


def test_the_same_words_give_the_same_bytes():
    assert packed_index(explorable(), 10_000_000) == packed_index(explorable(), 10_000_000)


def test_words_that_the_page_links_to_are_dropped_last():
    found = explorable([f"word{i:03}" for i in range(300)])
    plain = unpacked(packed_index(found, 30_000).words)[0]["words"]
    rare = [word for word in found.words if word not in plain][:5]
    kept = unpacked(packed_index(found, 30_000, rare).words)[0]["words"]
    assert set(rare) <= set(kept)
    assert len(kept) < len(found.words)
    assert unpacked(packed_index(found, 10_000_000, rare).words)[0]["words"] == list(found.words)


def test_documents_without_a_text_have_no_id_either():
    found = explorable([f"word{i:03}" for i in range(300)])
    header, parts = unpacked(packed_index(found, 12_000).texts)
    chosen, ids = header["with_text"], found.ids.to_pylist()
    assert 0 < len(chosen) < len(ids)
    assert parts["ids"].decode().split("\n") == [ids[row] for row in chosen]


def test_hashes_of_commits_are_abbreviated():
    found = explorable()
    hashes = [hashlib.sha1(str(row).encode()).hexdigest() for row in range(len(found.times))]
    _, parts = unpacked(packed_index(dataclasses.replace(found, ids=pa.chunked_array([hashes])), 10_000_000).texts)
    assert parts["ids"].decode().split("\n") == [each[:12] for each in hashes]


def test_words_have_their_share_of_what_the_documents_leave(monkeypatch):
    """The times and groups of many documents must not use up the space of the words."""
    found = explorable([f"word{i:04}" for i in range(400)])
    none = np.zeros(len(found.words), dtype=bool)
    fixed = len(word_index._packed_words(found, none))
    whole = len(word_index._packed_words(found, ~none))
    room = fixed + (whole - fixed) // 2
    kept, packed = word_index._fitting_words(found, room, frozenset())
    assert len(packed) <= room
    assert len(packed) > fixed
    assert 0 < kept.sum() < len(kept)


def test_numbers_among_the_words_are_named():
    found = explorable(["storm", "2003", "rare"])
    header, _ = unpacked(packed_index(found, 10_000_000).words)
    assert (header["last"], header["events"]) == ([1], [2])
