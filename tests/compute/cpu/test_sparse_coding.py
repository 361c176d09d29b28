from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import local_context as oracle

from driftline.coding.local_contexts import arrays_of
from driftline.compute.cpu.sparse_coding import code_documents

MANY = 2**31 - 1


def problem(seed, n_topics=6, n_words=8, lengths=(5, 0, 3, 1)):
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(n_words, 0.3), n_topics)
    topics[topics < 0.02] = 0
    topics /= topics.sum(axis=1, keepdims=True)
    contexts = rng.dirichlet(np.full(n_words, 0.3), sum(lengths))
    return topics, contexts, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def code(topics, contexts, offsets, alpha, rho, *, gram=True, start=None, tol=1e-16, rounds=5000, most_active=MANY):
    rows = sp.csr_matrix(topics)
    start = sp.csr_matrix((len(contexts), len(topics))) if start is None else sp.csr_matrix(start)
    (indptr, indices, data), errors = code_documents(
        arrays_of(sp.csr_matrix(contexts)),
        offsets,
        arrays_of(rows),
        arrays_of(rows.tocsc()),
        topics @ topics.T if gram else np.zeros((0, 0)),
        arrays_of(start),
        (alpha, rho),
        tol,
        (rounds, most_active),
    )
    return sp.csr_matrix((data, indices, indptr), shape=(len(contexts), len(topics))).toarray(), errors


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("alpha, rho", [(0.01, 0.0), (0.1, 1e-4), (0.02, 0.1), (0.02, 2.0), (0.0, 0.0)])
@pytest.mark.parametrize("gram", [True, False])
def test_codes_minimise_the_objective(seed, alpha, rho, gram):
    topics, contexts, offsets = problem(seed)
    found, errors = code(topics, contexts, offsets, alpha, rho, gram=gram)
    for first, last in itertools.pairwise(offsets):
        if first == last:
            continue
        part = slice(first, last)
        expected = oracle.codes(contexts[part], topics, alpha, rho)
        value = oracle.objective(contexts[part], found[part], topics, alpha, rho)
        assert value <= oracle.objective(contexts[part], expected, topics, alpha, rho) + 1e-9
        if alpha > 0:
            np.testing.assert_allclose(found[part], expected, atol=2e-5)
    np.testing.assert_allclose(errors, ((contexts - found @ topics) ** 2).sum(axis=1), atol=1e-10)


def test_any_start_leads_to_the_same_codes():
    topics, contexts, offsets = problem(7)
    cold, _ = code(topics, contexts, offsets, 0.02, 0.1)
    rng = np.random.default_rng(0)
    warm, errors = code(topics, contexts, offsets, 0.02, 0.1, start=rng.uniform(0, 1, cold.shape))
    np.testing.assert_allclose(warm, cold, atol=2e-5)
    np.testing.assert_allclose(errors, ((contexts - warm @ topics) ** 2).sum(axis=1), atol=1e-10)


def test_more_moves_than_cached_products():
    topics, contexts, offsets = problem(3, n_topics=150, n_words=160, lengths=(2,))
    contexts[:] = np.random.default_rng(1).dirichlet(np.full(160, 5.0), 2)
    found, _ = code(topics, contexts, offsets, 0.0, 0.0, gram=False)
    expected, _ = code(topics, contexts, offsets, 0.0, 0.0, gram=True)
    assert (found > 0).sum(axis=1).max() > 64
    np.testing.assert_allclose(found @ topics, expected @ topics, atol=1e-6)


def test_a_cap_limits_the_active_topics():
    topics, contexts, offsets = problem(5)
    free, _ = code(topics, contexts, offsets, 0.001, 0.0)
    capped, _ = code(topics, contexts, offsets, 0.001, 0.0, most_active=1)
    assert (free > 0).sum(axis=1).max() > 1
    assert (capped > 0).sum(axis=1).max() == 1


def test_a_large_penalty_leaves_nothing():
    topics, contexts, offsets = problem(1)
    found, errors = code(topics, contexts, offsets, 5.0, 0.0)
    assert not found.any()
    np.testing.assert_allclose(errors, (contexts**2).sum(axis=1))
