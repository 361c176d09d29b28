"""Counts of words per period equal those of a dictionary, whatever the batches; blocks are written separately."""

import json
from collections import Counter

import numpy as np
import pytest

from driftline.service.store import period_words
from driftline.service.store.keys import DAY, HOUR, period_starts
from driftline.service.store.opened import open_store
from driftline.service.store.period_aggregates import Increments
from driftline.service.store.period_words import (
    NOTHING,
    Counted,
    Span,
    add_counts,
    add_words,
    blocks_of,
    most_of_blocks,
    pack_words,
    read_block,
    spans_of,
    unpack_words,
)
from tests.service.running import story_lines, take, writing

ROWS = "SELECT level, block, start, most, body FROM period_words ORDER BY level, block, start"


def counted(found):
    words = np.array(sorted(found), dtype=np.int64)
    return Counted(words, np.array([found[word] for word in words.tolist()], dtype=np.int64))


def stored(database, level):
    """Return (start, word) → documents."""
    found = Counter()
    for block, start, most, body in database.execute(
        "SELECT block, start, most, body FROM period_words WHERE level = ?", (level,)
    ):
        part = unpack_words(body)
        assert set((part.words // period_words.BLOCK).tolist()) == {block}
        assert most == part.counts.max()
        for word, n in zip(part.words.tolist(), part.counts.tolist()):
            assert (start, word) not in found
            found[start, word] = n
    return found


@pytest.fixture
def database(tmp_path):
    found = open_store(str(tmp_path / "store"), writes=True)
    yield found
    found.close()


@pytest.mark.parametrize("seed", range(20))
def test_a_sum_is_that_of_a_dictionary(seed):
    rng = np.random.default_rng(seed)
    parts, total = [], Counter()
    for _ in range(int(rng.integers(1, 6))):
        size = int(rng.integers(0, 40))
        found = dict(zip(rng.integers(0, 60, size).tolist(), rng.integers(1, 9, size).tolist()))
        total.update(found)
        parts.append(counted(found))
    before = [(part.words.copy(), part.counts.copy()) for part in parts]
    found = add_counts(parts)
    assert dict(zip(found.words.tolist(), found.counts.tolist())) == total
    assert (np.diff(found.words) > 0).all()
    assert found.words.dtype == found.counts.dtype == np.int64
    for part, (words, counts) in zip(parts, before):  # readers use the same arrays
        np.testing.assert_array_equal(part.words, words)
        np.testing.assert_array_equal(part.counts, counts)
    again = unpack_words(pack_words(found))
    np.testing.assert_array_equal(again.words, found.words)
    np.testing.assert_array_equal(again.counts, found.counts)


def test_nothing_adds_nothing():
    one = counted({3: 2})
    assert add_counts([]) is NOTHING
    assert add_counts([NOTHING, one, NOTHING]).counts.tolist() == [2]
    assert list(blocks_of(NOTHING)) == []


@pytest.mark.parametrize("seed", range(12))
def test_rows_are_those_of_a_dictionary_however_documents_are_cut(tmp_path, monkeypatch, seed):
    monkeypatch.setattr(period_words, "BLOCK", 8)
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 120))
    times = 50 * DAY + rng.integers(0, 40 * DAY, n) // HOUR * HOUR
    documents = [np.unique(rng.geometric(0.05, int(rng.integers(1, 12)))) for _ in range(n)]
    expected = [Counter() for _ in range(3)]
    for moment, words in zip(times.tolist(), documents):
        for level in range(3):
            start = int(period_starts(np.array([moment]), level)[0])
            expected[level].update((start, word) for word in words.tolist())
    rows = []
    for cut in range(3):
        database = open_store(str(tmp_path / str(cut)), writes=True)
        increments, first = Increments(), 0
        while first < n:
            last = first + int(rng.integers(1, 30))
            part = documents[first:last]
            of_row = np.repeat(np.arange(len(part)), [len(words) for words in part])
            increments.add_words(times[first:last], of_row, np.concatenate(part))
            if rng.random() < 0.4 or last >= n:
                with database.transaction():
                    increments.flush(database)
                increments.clear()
            first = last
        assert [stored(database, level) for level in range(3)] == expected
        rows.append(database.execute(ROWS))
        database.close()
    assert rows[0] == rows[1] == rows[2]


def test_a_snapshot_writes_only_the_blocks_of_its_words(database, monkeypatch):
    month = Counted(np.arange(200_000), np.ones(200_000, dtype=np.int64))
    add_words(database, 2, 0, month)
    before = dict(database.execute("SELECT block, body FROM period_words"))
    sizes, unpack = [], unpack_words
    monkeypatch.setattr(period_words, "unpack_words", lambda body: sizes.append(len(body)) or unpack(body))
    add_words(database, 2, 0, counted({5: 1, 200_003: 2}))
    assert len(sizes) == 2
    changed = [
        block for block, body in database.execute("SELECT block, body FROM period_words") if before[block] != body
    ]
    assert changed == [0, 200_003 // period_words.BLOCK]
    found = stored(database, 2)
    assert (found[0, 5], found[0, 6], found[0, 200_003]) == (2, 1, 2)


def test_no_word_of_a_block_has_more_documents_than_the_block_says(database):
    rng = np.random.default_rng(3)
    total = Counter()
    for day in range(10):
        found = dict(zip(rng.integers(0, 60_000, 300).tolist(), rng.integers(1, 9, 300).tolist()))
        total.update(found)
        add_words(database, 1, day * DAY, counted(found))
    bound = most_of_blocks(database, [Span(1, 0, 10 * DAY)])
    for block, most in bound.items():
        assert most >= max(n for word, n in total.items() if word // period_words.BLOCK == block)
    assert most_of_blocks(database, [Span(1, 20 * DAY, 30 * DAY)]) == {}


def test_a_period_that_is_cut_is_put_together_from_shorter_ones(database):
    rng = np.random.default_rng(4)
    increments = Increments()
    hours = np.sort(rng.integers(0, 70 * 24, 400)) * HOUR
    words = rng.integers(0, 30, 400)
    increments.add_words(hours, np.arange(400), words)
    increments.flush(database)
    for level in range(3):
        for last in (hours[150], hours[399], 45 * DAY + 5 * HOUR, 31 * DAY):
            first = int(hours[20])
            spans = spans_of(level, first, int(last) + 17, cut=True)
            found = Counter()
            for _, part in read_block(database, 0, spans):
                found.update(dict(zip(part.words.tolist(), part.counts.tolist())))
            begin = period_starts(np.array([first]), level)[0]
            assert found == Counter(words[(hours >= begin) & (hours <= last)].tolist())


def test_rows_of_the_second_version_are_divided(tmp_path):
    store = str(tmp_path / "store")
    with writing(store) as writer:
        take(writer, story_lines(900))
        writer.save()
        expected = writer.database.execute(ROWS)
        assert len(expected) > 100
        with writer.database.transaction():  # version 2 had all words of a period in one row
            parts = {}
            for level, _, start, _, body in expected:
                parts.setdefault((level, start), []).append(unpack_words(body))
            for (level, start), several in parts.items():
                body = pack_words(add_counts(several))
                writer.database.execute("INSERT INTO periods VALUES (?, ?, 'words', ?)", (level, start, body))
            writer.database.execute("DROP TABLE period_words")
            writer.database.execute("UPDATE settings SET value = '2' WHERE name = 'schema'")
    with writing(store) as again:
        assert again.database.execute(ROWS) == expected
        assert again.database.execute("SELECT count(*) FROM periods WHERE kind = 'words'") == [(0,)]
        assert again.database.execute("SELECT value FROM settings WHERE name = 'schema'") == [("3",)]
        lines = [json.dumps({**json.loads(line), "id": f"more {k}"}).encode() for k, line in enumerate(story_lines(50))]
        take(again, lines)
        again.save()
        assert again.database.execute(ROWS) != expected
