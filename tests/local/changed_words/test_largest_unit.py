import numpy as np
import scipy.sparse as sp

from driftline.local.changed_words.discovery import changed_words
from driftline.local.changed_words.largest_unit import mostly_one_unit, without_largest_unit


def plain(dense, tokens):
    """Word by word: the unit of the largest residual, its share of the energy, and the counts without it."""
    dominated, rest = [], dense.astype(float)
    for w in range(dense.shape[1]):
        residual = dense[:, w] - tokens * dense[:, w].sum() / tokens.sum()
        used = np.flatnonzero(dense[:, w])
        if not len(used):
            dominated.append(False)
            continue
        m = used[np.argmax(residual[used])]
        dominated.append(max(residual[m], 0.0) ** 2 > 0.5 * (residual**2).sum())
        others = np.arange(len(tokens)) != m
        rest[m, w] = tokens[m] * dense[others, w].sum() / tokens[others].sum()
    return np.array(dominated), rest


def test_the_largest_unit_is_that_of_the_plain_version(monkeypatch):
    monkeypatch.setattr("driftline.smoothing.grouping.BLOCK", 13)
    rng = np.random.default_rng(1)
    dense = rng.poisson(0.8, (30, 12)).astype(float)
    dense[rng.integers(0, 30, 6), np.arange(6)] += 40
    dense[:, 11] = 0
    tokens = rng.integers(20, 60, 30).astype(float)
    dominated, rest = plain(dense, tokens)
    assert 0 < dominated.sum() < 12
    counts = sp.csc_array(dense)
    np.testing.assert_array_equal(mostly_one_unit(counts, tokens), dominated)
    np.testing.assert_allclose(without_largest_unit(counts, tokens).toarray(), rest)


def near_copies_on_one_day(day, n_days=60, n_words=40, seed=0):
    """Documents with constant shares, and ten near-copies of one text on one day."""
    rng = np.random.default_rng(seed)
    days = np.repeat(np.arange(n_days), 3)
    counts = (rng.random((len(days), n_words)) < 0.15).astype(int)
    copies = np.zeros((10, n_words), dtype=int)
    copies[:, :8] = 1
    counts[:, :8] = 0
    return np.vstack([counts, copies]), np.concatenate([days, np.full(10, day)])


def test_words_of_one_text_copied_on_one_day_are_not_lasting_wherever_the_day_is():
    for day in (0, 1, 30, 58, 59):
        counts, days = near_copies_on_one_day(day)
        times = np.datetime64("2024-01-01", "us") + days * np.timedelta64(1, "D")
        found = changed_words(counts, times=times, sizes=np.ones(len(counts)))
        assert not found.lasting[:8].any(), day


def test_a_lasting_change_with_one_very_large_day_is_still_found():
    rng = np.random.default_rng(3)
    days = np.repeat(np.arange(120), 10)
    share = np.where((days > 60)[:, None], [0.3, 0.1], [0.02, 0.1])
    counts = (rng.random((len(days), 2)) < share).astype(float)
    counts[days == 100, 0] = 8.0
    times = np.datetime64("2024-01-01", "us") + days * np.timedelta64(1, "D")
    found = changed_words(counts, times=times, sizes=np.ones(len(counts)))
    by_day = sp.csc_array(np.array([counts[days == day].sum(axis=0) for day in range(120)]))
    assert mostly_one_unit(by_day, np.full(120, 10.0)).tolist() == [True, False]
    assert found.lasting.tolist() == [True, False]
