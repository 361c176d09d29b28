from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.base.sequence_input import as_sequences
from driftline.coding.codes import Codes, Dictionary, Penalties, document_means, objective
from driftline.coding.local_contexts import ContextMaker
from driftline.compute.cpu import sparse_coding
from driftline.engines.threads import Threads
from tests.oracles import local_context as oracle

RNG = np.random.default_rng(4)
DOCUMENTS = [RNG.integers(0, 6, n).tolist() for n in (7, 0, 1, 12, 5)]
TOPICS = RNG.dirichlet(np.full(6, 0.5), 4)
CONTEXTS = ContextMaker("gaussian", 1.0, 6, np.empty(0))(as_sequences(DOCUMENTS))


def code(penalties, n_jobs=1, start=None):
    with Threads(n_jobs) as engine:
        return Dictionary(sp.csr_matrix(TOPICS)).code(CONTEXTS, penalties, engine, start)


@pytest.mark.parametrize("loss", ["squared", "hellinger"])
@pytest.mark.parametrize("rho", [0.0, 0.1])
def test_the_objective_is_the_sum_over_documents(loss, rho):
    penalties = Penalties(loss, 0.02, rho, 1e-12)
    found = code(penalties)
    dense, phi = found.matrix.toarray(), CONTEXTS.matrix.toarray()
    bounds = CONTEXTS.offsets
    expected = sum(
        oracle.objective(phi[a:b], dense[a:b], TOPICS, 0.02, rho, loss) for a, b in itertools.pairwise(bounds) if b > a
    )
    assert objective(found, CONTEXTS, penalties) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("loss", ["squared", "hellinger"])
def test_pieces_and_threads_do_not_change_the_codes(loss, monkeypatch):
    whole = code(Penalties(loss))
    monkeypatch.setattr(sparse_coding, "CONTEXTS", 6)
    for n_jobs in (1, 2):
        parts = code(Penalties(loss), n_jobs)
        np.testing.assert_array_equal(parts.matrix.toarray(), whole.matrix.toarray())
        np.testing.assert_array_equal(parts.losses, whole.losses)
        again = code(Penalties(loss), n_jobs, start=whole.matrix)
        np.testing.assert_allclose(again.matrix.toarray(), whole.matrix.toarray(), atol=1e-2)


def test_many_topics_need_no_table_of_products(monkeypatch):
    expected = code(Penalties(tol=1e-14))
    monkeypatch.setattr(sparse_coding, "GRAM_TOPICS", 0)
    np.testing.assert_allclose(code(Penalties(tol=1e-14)).matrix.toarray(), expected.matrix.toarray(), atol=1e-6)


def test_documents_are_means_or_largest_codes():
    found = code(Penalties())
    dense = found.matrix.toarray()
    for pooling, pool in (("mean", np.mean), ("max", np.max)):
        pooled = document_means(found.matrix, CONTEXTS, pooling).toarray()
        assert not pooled[1].any()
        np.testing.assert_allclose(pooled[3], pool(dense[8:20], axis=0), atol=1e-15)


def test_no_context_has_no_code():
    nothing = ContextMaker("gaussian", 1.0, 6, np.empty(0))(as_sequences([[], []]))
    with Threads(1) as engine:
        found = Dictionary(sp.csr_matrix(TOPICS)).code(nothing, Penalties(), engine)
    assert isinstance(found, Codes)
    assert found.matrix.shape == (0, 4)
    assert document_means(found.matrix, nothing).shape == (2, 4)
