from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from tests.compute.cpu.test_sparse_coding import MANY, problem
from tests.oracles import local_context as oracle

from driftline.coding.local_contexts import arrays_of
from driftline.compute.cpu.hellinger import add_pulls, code_documents


def code(
    topics, contexts, offsets, alpha, rho, *, start=None, threshold=0.0, most_active=MANY, steps=20_000, tol=1e-15
):
    start = sp.csr_matrix((len(contexts), len(topics))) if start is None else sp.csr_matrix(start)
    (indptr, indices, data), losses = code_documents(
        arrays_of(sp.csr_matrix(contexts)),
        offsets,
        arrays_of(sp.csr_matrix(topics).tocsc()),
        len(topics),
        arrays_of(start),
        (alpha, rho),
        tol,
        (200, steps, most_active),
        threshold,
    )
    return sp.csr_matrix((data, indices, indptr), shape=(len(contexts), len(topics))).toarray(), losses


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("alpha, rho", [(0.01, 0.0), (0.5, 0.0), (0.01, 0.1), (0.01, 3.0)])
def test_codes_minimise_the_objective(seed, alpha, rho):
    topics, contexts, offsets = problem(seed, n_topics=4, lengths=(3, 0, 2))
    topics = 0.95 * topics + 0.05 / topics.shape[1]
    found, losses = code(topics, contexts, offsets, alpha, rho)
    for part in (slice(0, 3), slice(3, 5)):
        best = oracle.hellinger_codes(contexts[part], topics, alpha, rho)
        value = oracle.objective(contexts[part], found[part], topics, alpha, rho, "hellinger")
        assert value <= oracle.objective(contexts[part], best, topics, alpha, rho, "hellinger") + 1e-6
    expected = [oracle.loss_of(phi, beta @ topics, "hellinger") for phi, beta in zip(contexts, found)]
    np.testing.assert_allclose(losses, expected, atol=1e-10)


def test_alpha_only_rescales():
    topics, contexts, offsets = problem(2)
    topics = 0.95 * topics + 0.05 / topics.shape[1]
    plain, _ = code(topics, contexts, offsets, 0.0, 0.0)
    priced, _ = code(topics, contexts, offsets, 0.3, 0.0)
    np.testing.assert_allclose(priced, plain / 1.3**2, atol=1e-5)


def test_every_step_lowers_the_objective():
    topics, contexts, offsets = problem(4)
    topics = 0.9 * topics + 0.1 / topics.shape[1]
    values, start = [], None
    for _ in range(30):
        start, _ = code(topics, contexts, offsets, 0.01, 0.2, start=start, steps=2, tol=0.0)
        parts = [slice(a, b) for a, b in itertools.pairwise(offsets) if b > a]
        values.append(sum(oracle.objective(contexts[p], start[p], topics, 0.01, 0.2, "hellinger") for p in parts))
    assert (np.diff(values) <= 1e-12).all()


def test_small_codes_are_dropped_and_a_cap_holds():
    topics, contexts, offsets = problem(6)
    topics = 0.9 * topics + 0.1 / topics.shape[1]
    dropped, _ = code(topics, contexts, offsets, 0.01, 0.0, threshold=0.1)
    shares = dropped / dropped.sum(axis=1, keepdims=True)
    assert shares[shares > 0].min() > 0.05
    capped, _ = code(topics, contexts, offsets, 0.01, 0.0, most_active=2)
    assert (capped > 0).sum(axis=1).max() == 2


def test_pulls_give_the_topics_that_maximise_the_bound():
    topics, contexts, offsets = problem(8)
    topics = 0.9 * topics + 0.1 / topics.shape[1]
    codes, losses = code(topics, contexts, offsets, 0.01, 0.0)
    by_word = sp.csr_matrix(topics).tocsc()
    pulls = np.zeros(by_word.nnz)
    weights = np.ones(len(contexts))
    rows = arrays_of(sp.csr_matrix(contexts))
    add_pulls(rows, arrays_of(sp.csr_matrix(codes)), len(topics), weights, arrays_of(by_word), pulls)
    mixed = codes @ topics
    expected = np.sqrt(topics) * (codes.T @ np.sqrt(contexts / mixed))
    np.testing.assert_allclose(sp.csc_matrix((pulls, by_word.indices, by_word.indptr)).toarray(), expected, atol=1e-10)
    moved = expected**2 / (expected**2).sum(axis=1, keepdims=True)
    after = sum(oracle.loss_of(phi, beta @ moved, "hellinger") for phi, beta in zip(contexts, codes))
    assert after < losses.sum()
