"""Leaving one document out in closed form is refitting without it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.local.streams import drifting, small
from tests.oracles.local_likelihood import leave_one_out

from driftline.local.background_prior import Prior
from driftline.local.bandwidths.leave_one_out import LeaveOneOut
from driftline.local.history import History
from driftline.smoothing.kernels import Kernel


@pytest.mark.parametrize("prior", [Prior("dirichlet", 3.0), Prior("jelinek-mercer", 0.2), Prior("additive", 0.5)])
@pytest.mark.parametrize("side", ["both", "past"])
@pytest.mark.parametrize("name", ["triangular", "tricube"])
def test_equal_to_refitting(name, side, prior):
    counts, times = small()
    loo = LeaveOneOut(History.of(sp.csr_matrix(counts), times), Kernel(name, side))
    for bandwidth in (0.7, 1.5, 3.0, np.inf):
        expected = leave_one_out(counts, times, Kernel(name, side), bandwidth, prior)
        found = loo.scores(bandwidth, prior, np.array([prior.strength]))[0]
        assert found == pytest.approx(expected.sum(), rel=1e-10)
        p = loo.probabilities(loo.local(bandwidth), prior)
        by_document = np.bincount(loo.document, weights=loo.count * np.log(p), minlength=len(counts))
        np.testing.assert_allclose(by_document, expected, rtol=1e-10)


def test_a_table_holds_every_pair_per_word():
    counts, times = small()
    loo = LeaveOneOut(History.of(sp.csr_matrix(counts), times), Kernel())
    table = loo.table(np.array([1.0, np.inf]), Prior(), np.array([1.0, 10.0]))
    assert table.shape == (2, 2)
    assert table[1, 0] == pytest.approx(table[1, 1])
    assert table[0, 1] == pytest.approx(loo.scores(1.0, Prior(), np.array([10.0]))[0] / counts.sum())


def test_evenly_spread_documents_stand_for_all():
    counts, times, _ = drifting()
    history = History.of(counts, times)
    few = LeaveOneOut(history, Kernel(), max_entries=history.counts.nnz // 4)
    everything = LeaveOneOut(history, Kernel())
    assert 0.2 < few.n_tokens / everything.n_tokens < 0.3
    assert few.time.max() - few.time.min() > 0.95 * len(times)
    one, other = (loo.table(np.array([0.1]), Prior(), np.array([50.0]))[0, 0] for loo in (few, everything))
    assert one == pytest.approx(other, abs=0.1)


def test_a_single_document_is_scored_by_nothing_but_its_vocabulary():
    history = History.of(sp.csr_matrix(np.array([[2.0, 1.0, 0.0, 0.0]])), np.zeros(1))
    table = LeaveOneOut(history, Kernel()).table(np.array([1.0]), Prior(), np.array([5.0]))
    assert table[0, 0] == pytest.approx(np.log(0.25))


def test_evenly_spread_entries_stand_for_a_word():
    counts, times, _ = drifting()
    loo = LeaveOneOut(History.of(counts, times), Kernel(), by_word=True, max_entries=50)
    n_documents = np.asarray((counts > 0).sum(axis=0)).ravel()
    n_scored = np.bincount(loo.word, minlength=60)
    assert (n_scored[n_documents <= 50] == n_documents[n_documents <= 50]).all()
    assert (n_scored <= 50).all()
    assert (n_scored[n_documents > 50] > 20).all()
    whole = LeaveOneOut(History.of(counts, times), Kernel(), by_word=True)
    np.testing.assert_allclose(
        loo.local(0.1).counts[:10],
        whole.local(0.1).counts[np.isin(whole.word, loo.word[:1])][
            np.searchsorted(whole.document[whole.word == loo.word[0]], loo.document[:10])
        ],
    )
