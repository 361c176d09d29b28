"""A history gathers documents by time and remembers the way back."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.local.streams import drifting, small
from tests.oracles.local_likelihood import weighted_sums

from driftline.local.history import History
from driftline.smoothing.kernels import Kernel


def test_gathers_by_distinct_time():
    counts, times = small()
    history = History.of(sp.csr_matrix(counts), times)
    assert history.times.tolist() == sorted(set(times))
    for i, t in enumerate(history.times):
        here = times == t
        np.testing.assert_allclose(history.counts.toarray()[i], counts[here].sum(axis=0))
        lengths = counts[here].sum(axis=1)
        assert history.tokens[i] == lengths.sum()
        assert history.token_pairs[i] == (lengths * (lengths - 1)).sum()
    assert history.total_tokens == counts.sum()
    np.testing.assert_allclose(history.word_totals, counts.sum(axis=0))


def test_entries_lead_back_to_documents():
    counts, times = small(seed=1)
    history = History.of(sp.csr_matrix(counts), times)
    rebuilt = np.zeros_like(counts)
    rebuilt[history.entry_document, history.entry_word] = history.entry_count
    np.testing.assert_allclose(rebuilt, counts)
    assert (history.counts.indices[history.entry_position] == history.document_time[history.entry_document]).all()


@pytest.mark.parametrize("side", ["both", "past"])
def test_sums_at_own_times(side):
    counts, times = small(seed=2)
    history = History.of(sp.csr_matrix(counts), times)
    kernel = Kernel("triangular", side)
    dense = weighted_sums(counts, times, history.times, kernel, 2.5)
    words = np.repeat(np.arange(counts.shape[1]), np.diff(history.counts.indptr))
    np.testing.assert_allclose(history.sums_at_own_times(kernel, 2.5), dense[history.counts.indices, words], atol=1e-12)
    np.testing.assert_allclose(history.token_sums(history.times, kernel, 2.5), dense.sum(axis=1), atol=1e-12)


def test_dispersion_of_clumped_documents_is_found():
    plain = History.of(*drifting(n_documents=2000)[:2]).dispersion("triangular", 0.1)
    clumped = History.of(*drifting(n_documents=2000, rho=0.1)[:2]).dispersion("triangular", 0.1)
    assert plain.mean() < 0.01
    assert clumped.mean() == pytest.approx(0.1, abs=0.02)


def test_only_empty_documents():
    history = History.of(sp.csr_matrix((3, 2)), np.arange(3.0))
    assert history.total_tokens == 0
    assert history.dispersion("triangular", 1.0).tolist() == [0.0, 0.0]


def test_what_is_forgotten_is_reached_by_an_infinite_bandwidth_only():
    counts, times = small(seed=3)
    past = Kernel("triangular", "past")
    whole = History.of(sp.csr_matrix(counts), times)
    old = times < times[-1] - 1
    kept = History.of(sp.csr_matrix(counts[~old]), times[~old], counts[old].sum(axis=0))
    when = np.array([times[-1], times[-1] + 0.5])
    np.testing.assert_allclose(kept.word_sums(when, past, np.inf), whole.word_sums(when, past, np.inf))
    np.testing.assert_allclose(kept.token_sums(when, past, np.inf), whole.token_sums(when, past, np.inf))
    np.testing.assert_allclose(kept.word_sums(when, past, 1.0, np.array([2])), whole.word_sums(when, past, 1.0)[:, [2]])
    group = np.array([0, 1, 0, 1])
    np.testing.assert_allclose(
        kept.gathered(group, 2).word_sums(when, past, np.inf)[:, 0],
        whole.word_sums(when, past, np.inf)[:, [0, 2]].sum(1),
    )
    indptr = np.array([0, 2, 2, 3, 3])
    asked = np.array([when[0], when[1], when[1]])
    np.testing.assert_allclose(
        kept.pair_sums(indptr, asked, past, np.inf), whole.pair_sums(indptr, asked, past, np.inf)
    )
