"""Aggregates of words: sums that are the same however they are cut into parts, small parts into large ones cheaply."""

from collections import Counter

import numpy as np
import pytest

from driftline.service.store.period_aggregates import NOTHING, Counted, add_counts, pack_words, unpack_words


def counted(found):
    words = np.array(sorted(found), dtype=np.int64)
    return Counted(words, np.array([found[word] for word in words.tolist()], dtype=np.int64))


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


def test_a_snapshot_does_not_sort_the_words_of_a_month(monkeypatch):
    month = Counted(np.arange(100_000), np.ones(100_000, dtype=np.int64))
    minute = counted({5: 1, 100_003: 2})
    sizes, unique = [], np.unique
    monkeypatch.setattr(np, "unique", lambda values, **more: sizes.append(len(values)) or unique(values, **more))
    found = add_counts([month, minute, minute])
    assert sizes == [4]
    assert (found.counts[5], found.words[-1], found.counts[-1]) == (3, 100_003, 4)
