"""The M step under a guide, against plain sums."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.inference.guide_arrays import NO_PAIRS, WordGroups, WordPrior, WordStart
from driftline.inference.guided_em import IMPOSSIBLE, EmWishes, guided_start, started_shares
from driftline.inference.word_maps import mapped_counts, mapped_rows

COUNTS = np.array([[4.0, 1.0], [2.0, 2.0], [0.0, 5.0], [3.0, 3.0]])
PRIOR = WordPrior(np.array([1, 3]), np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([[2, 1]]))


def arrays(prior=None, groups=None, start=None):
    return SimpleNamespace(prior=prior, groups=groups, start=start)


def test_wishes_are_taken_out_of_a_guide():
    found = EmWishes.of(arrays(PRIOR), 4, 2)
    np.testing.assert_array_equal(found.prior, [[0, 0], [2, 0], [0, 0], [0, 1]])
    assert found.rules.banned is PRIOR.banned
    groups = WordGroups((), NO_PAIRS, 1.0, np.ones(4))
    none = EmWishes.of(arrays(groups=groups), 4, 2)
    assert none.rules.groups is groups
    assert not len(none.rules.banned)
    assert not none.prior.any()
    assert EmWishes.of(arrays(PRIOR, groups), 4, 2).rules.groups is groups


def test_shares_have_the_prior_the_smoothing_and_no_excluded_word():
    found = EmWishes.of(arrays(PRIOR), 4, 2).word_shares(COUNTS, 0.5)
    by_hand = np.array([[4.5, 1.5], [4.5, 2.5], [0.5, 0.0], [3.5, 4.5]])
    np.testing.assert_allclose(found, np.maximum(by_hand / by_hand.sum(axis=0), IMPOSSIBLE))
    assert found[2, 1] == IMPOSSIBLE


def test_words_that_belong_together_are_mapped_before_they_are_normalised():
    groups = WordGroups((np.array([0, 2]),), NO_PAIRS, 1e4, COUNTS.sum(axis=1))
    found = EmWishes.of(arrays(groups=groups), 4, 2).word_shares(COUNTS, 0.5)
    rows, counts = mapped_rows(groups), COUNTS.copy()
    counts[rows] = mapped_counts(COUNTS[rows], groups)
    assert not np.allclose(counts, COUNTS)
    np.testing.assert_allclose(found, (counts + 0.5) / (counts + 0.5).sum(axis=0))


def test_the_log_prior_is_a_sum_of_logarithms_that_stays_finite():
    wishes = EmWishes.of(arrays(PRIOR), 4, 2)
    shares = np.array([[0.1, 0.2], [0.5, 0.2], [0.2, 0.3], [0.2, 0.3]])
    assert wishes.log_prior(shares) == pytest.approx(2 * np.log(0.5) + np.log(0.3))
    assert wishes.log_prior(np.zeros((4, 2))) == pytest.approx(3 * np.log(IMPOSSIBLE))


def test_counts_are_found_again_from_shares():
    wishes, totals = EmWishes.of(arrays(PRIOR._replace(banned=NO_PAIRS)), 4, 2), COUNTS.sum(axis=0)
    np.testing.assert_allclose(wishes.counts_of(wishes.word_shares(COUNTS, 0.0), totals), COUNTS, atol=1e-12)
    assert wishes.counts_of(np.full((4, 2), 1e-9), totals).min() == 0


def test_a_guided_start_has_words_in_their_topics():
    shares, X = np.array([[0.2, 0.6], [0.8, 0.4]]), sp.csr_array([[3.0, 1.0], [0.0, 3.0], [1.0, 0.0]])
    start = WordStart(sp.csr_array([[0.0, 4.0], [0.0, 0.0]]), np.array([True, True]))
    counts = np.array([[0.0, 4.0], [8 / 3, 4 / 3]]) + 0.5
    wanted = counts / counts.sum(axis=0)
    np.testing.assert_allclose(guided_start(shares, X, arrays(start=start)), wanted)
    np.testing.assert_allclose(started_shares(shares, np.array([4.0, 4.0]), start), wanted)
    assert guided_start(shares, X, arrays()) is shares


def test_a_word_with_no_share_anywhere_starts_without_an_error():
    start = WordStart(sp.csr_array((2, 2)), np.array([True, True]))
    found = started_shares(np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([4.0, 4.0]), start)
    np.testing.assert_allclose(found, np.array([[0.5, 0.5], [2.5, 2.5]]) / 3)
