import re

import numpy as np
import pytest

from driftline.compute.cpu import counting
from driftline.compute.word_table import WordTable


def _bytes(*rows):
    encoded = [row if isinstance(row, bytes) else row.encode() for row in rows]
    offsets = np.cumsum([0, *map(len, encoded)])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


def _words(data, starts, ends):
    return [bytes(data[a:b]) for a, b in zip(starts, ends)]


def _table(n_words, n_bytes, slots=256):
    return WordTable(
        np.zeros(n_bytes, dtype=np.uint8),
        np.zeros(n_words + 1, dtype=np.int64),
        np.zeros(n_words, dtype=np.uint64),
        np.full(slots, -1, dtype=np.int32),
        np.array([1, 2], dtype=np.uint64),
    )


LETTERS = np.array([chr(code).isalpha() for code in range(0x110000)])


@pytest.mark.parametrize("min_length", [1, 2, 3])
def test_words_are_runs_of_word_characters(min_length):
    rows = ["a bb,ccc", "", "dd", "é éé\U0001d49c!", "--"]
    data, offsets = _bytes(*rows)
    starts, ends, before = counting.find_words(data, offsets, LETTERS, min_length)
    found = [re.findall(r"\w+", row) for row in rows]
    expected = [[w.encode() for w in row if len(w) >= min_length] for row in found]
    assert _words(data, starts, ends) == [word for row in expected for word in row]
    assert np.diff(before).tolist() == list(map(len, expected))


@pytest.mark.parametrize(
    "broken",
    [
        b"\xff",
        b"\x80",
        b"\xc3",  # cut off
        b"\xe2\x82",
        b"\xf0\x9d\x92",
        b"\xc0\xaf",  # longer than needed
        b"\xe0\x80\xaf",
        b"\xed\xa0\x80",  # a surrogate
        b"\xf4\x90\x80\x80",  # beyond the last code point
        b"\xf5\x80\x80\x80",
    ],
)
def test_invalid_utf8_ends_a_word_and_is_never_read_past(broken):
    everything = np.ones(0x110000, dtype=np.bool_)
    data, offsets = _bytes(b"ab" + broken, b"cd")
    starts, ends, _ = counting.find_words(data, offsets, everything, 2)
    found = _words(data, starts, ends)
    assert found[0] == b"ab"
    assert found[-1] == b"cd"


def test_marked_words_lie_between_pairs_of_marks():
    data, offsets = _bytes(b"x\xffone\xff y \xfftwo\xff", b"", b"\xff\xff\xffthree\xff")
    starts, ends, before = counting.find_marked(data, offsets, 0xFF)
    assert _words(data, starts, ends) == [b"one", b"two", b"three"]
    assert before.tolist() == [0, 2, 2, 3]


def test_words_are_numbered_as_they_come_even_when_all_collide():
    words = [b"war", b"peace", b"war", b"", b"wars", b"peace", b"a" * 8, b"a" * 9, b"a" * 16, b"a" * 8]
    data, offsets = _bytes(*words)
    distinct = list(dict.fromkeys(words))
    table = _table(len(distinct), 100, slots=8)
    numbers, n = counting.number_words(data, offsets[:-1], offsets[1:], table, 0)
    assert numbers.tolist() == [distinct.index(word) for word in words]
    assert n == len(distinct)
    assert [bytes(table.letters[a:b]) for a, b in zip(table.ends, table.ends[1:])] == distinct


def test_hash_is_siphash_with_the_key():
    # Python hashes bytes with SipHash-1-3 or 2-4 under a secret key, so known answers come from the definition itself.
    mask = 2**64 - 1

    def rounds(v, n):
        for _ in range(n):
            v[0] = (v[0] + v[1]) & mask
            v[1] = ((v[1] << 13 | v[1] >> 51) & mask) ^ v[0]
            v[0] = (v[0] << 32 | v[0] >> 32) & mask
            v[2] = (v[2] + v[3]) & mask
            v[3] = ((v[3] << 16 | v[3] >> 48) & mask) ^ v[2]
            v[0] = (v[0] + v[3]) & mask
            v[3] = ((v[3] << 21 | v[3] >> 43) & mask) ^ v[0]
            v[2] = (v[2] + v[1]) & mask
            v[1] = ((v[1] << 17 | v[1] >> 47) & mask) ^ v[2]
            v[2] = (v[2] << 32 | v[2] >> 32) & mask

    def siphash(data, k0, k1):
        v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
        padded = data + b"\0" * (7 - len(data) % 8) + bytes([len(data) & 255])
        for i in range(0, len(padded), 8):
            block = int.from_bytes(padded[i : i + 8], "little")
            v[3] ^= block
            rounds(v, 1)
            v[0] ^= block
        v[2] ^= 0xFF
        rounds(v, 3)
        return v[0] ^ v[1] ^ v[2] ^ v[3]

    words = [bytes(range(n)) for n in range(0, 40)]
    data, offsets = _bytes(*words)
    table = _table(len(words), len(data))
    counting.number_words(data, offsets[:-1], offsets[1:], table, 0)
    assert table.hashes.tolist() == [siphash(word, 1, 2) for word in words]


def test_slots_are_refilled_so_that_every_word_is_found_again():
    words = [str(n).encode() for n in range(1000)]
    data, offsets = _bytes(*words)
    table = _table(1000, len(data), slots=2048)
    counting.number_words(data, offsets[:-1], offsets[1:], table, 0)
    larger = table._replace(slots=np.full(4096, -1, dtype=np.int32))
    counting.refill_slots(table.hashes, larger.slots)
    numbers, n = counting.number_words(data, offsets[:-1], offsets[1:], larger, 1000)
    assert n == 1000
    assert numbers.tolist() == list(range(1000))


def test_ngrams_are_spelled_by_length_and_never_cross_rows():
    data, offsets = _bytes("a", "b", "c")
    table = _table(3, 3)
    counting.number_words(data, offsets[:-1], offsets[1:], table, 0)
    text, starts, ends, before = counting.spell_ngrams(
        np.array([0, 1, 2, 2, 0], dtype=np.int32), np.array([0, 3, 3, 5]), 1, 3, table
    )
    assert _words(text, starts, ends) == [b"a", b"b", b"c", b"a b", b"b c", b"a b c", b"c", b"a", b"c a"]
    assert before.tolist() == [0, 6, 6, 9]


def test_known_numbers_are_kept_in_order():
    kept, offsets = counting.keep_known(
        np.array([0, 1, 2, 1], dtype=np.int32), np.array([0, 2, 4]), np.array([5, -1, 7], dtype=np.int32)
    )
    assert kept.tolist() == [5, 7]
    assert offsets.tolist() == [0, 1, 2]


def test_counted_and_placed_rows_are_those_of_a_dense_count():
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 200, size=60)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    numbers = rng.integers(0, 90, size=offsets[-1]).astype(np.int32)
    dense = np.zeros((60, 90), dtype=np.int64)
    np.add.at(dense, (np.repeat(np.arange(60), lengths), numbers), 1)
    latest = np.full(80, -1)  # numbers from 80 on are not counted
    documents, uses = np.zeros(80, dtype=np.int64), np.zeros(80, dtype=np.int64)
    parts = []
    for first, last in ((0, 25), (25, 60)):
        base = sum(len(part[0]) for part in parts)
        here = offsets[first : last + 1] - offsets[first]
        parts.append(counting.count_rows(numbers[offsets[first] : offsets[last]], here, latest, base, documents, uses))
    np.testing.assert_array_equal(documents, (dense[:, :80] > 0).sum(axis=0))
    np.testing.assert_array_equal(uses, dense[:, :80].sum(axis=0))

    column_of = rng.permutation(80).astype(np.int32)
    column_of[::7] = -1
    size = sum(len(part[0]) for part in parts)
    indices, data, ends = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(60, np.int64)
    filled = row = 0
    for distinct, counts, here in parts:
        n = len(here) - 1
        filled = counting.place_rows(distinct, counts, here, column_of, indices, data, ends[row : row + n], filled)
        row += n
    for r in range(60):
        begin = ends[r - 1] if r else 0
        columns = indices[begin : ends[r]]
        assert (np.diff(columns) > 0).all()
        expected = {column_of[k]: dense[r, k] for k in range(80) if column_of[k] >= 0 and dense[r, k]}
        assert dict(zip(columns.tolist(), data[begin : ends[r]].tolist())) == expected
