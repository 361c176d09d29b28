"""Sums of n-grams: incremental ones against recomputed ones."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.compute.cpu import ngram


@pytest.fixture
def table():
    """Six documents of four words (0-3) and three pairs (4: after word 0, 5 and 6: after word 1); 7 is the root."""
    X = sp.csr_matrix(np.random.default_rng(3).poisson(1.0, (6, 7)).astype(float))
    return X, np.array([7, 7, 7, 7, 0, 1, 1])


def totals_of(X, context_of, rho):
    totals = (np.zeros(7), np.zeros(8), np.zeros(8), np.zeros(8))
    ngram.add_totals(X.indptr, X.indices, X.data, 0, X.shape[0], context_of, rho, totals)
    return totals


def by_context(values, context_of):
    return np.bincount(context_of, values, 8)


def presence(counts):
    return np.minimum(1, np.sqrt(counts))


@pytest.mark.parametrize("rho", [0.0, 0.2])
def test_totals_and_local_sums(table, rho):
    X, context_of = table
    counts, contexts, followers, floors = totals = totals_of(X, context_of, rho)
    whole = X.sum(axis=0).A1
    np.testing.assert_allclose(counts, whole)
    np.testing.assert_allclose(contexts, by_context(whole, context_of))
    np.testing.assert_allclose(followers, by_context(whole > 0, context_of), atol=1e-12)
    np.testing.assert_allclose(floors, by_context(presence(rho / (1 + rho) * whole), context_of), atol=1e-12)

    local = (np.zeros(7), np.zeros(8), np.zeros(8))
    weights = np.array([0.3, 0.0, 1.0, 0.1])
    ngram.add_local(X.indptr, X.indices, X.data, 1, weights, context_of, rho, counts, local)
    near = X[1:5].T @ weights
    np.testing.assert_allclose(local[0], near)
    np.testing.assert_allclose(local[1], by_context(near, context_of))
    T = by_context(presence((near + rho * whole) / (1 + rho)), context_of)
    np.testing.assert_allclose(floors + local[2], T, atol=1e-12)
    ngram.clear_local(X.indptr, X.indices, 1, 5, context_of, local)
    assert not any(part.any() for part in local)
    assert totals[0].any()


@pytest.mark.parametrize("rho", [0.0, 0.2])
def test_a_new_document_keeps_followers_exact(table, rho):
    X, context_of = table
    totals = totals_of(X[:4], context_of, rho)
    local = (np.zeros(7), np.zeros(8), np.zeros(8))
    ngram.add_local(X.indptr, X.indices, X.data, 2, np.array([0.3, 0.6]), context_of, rho, totals[0], local)
    ngram.add_new(X.indptr, X.indices, X.data, 4, context_of, rho, totals, local)
    near = X[2:5].T @ np.array([0.3, 0.6, 1.0])
    whole = X[:5].sum(axis=0).A1
    np.testing.assert_allclose(local[0], near)
    np.testing.assert_allclose(totals[0], whole)
    T = by_context(presence((near + rho * whole) / (1 + rho)), context_of)
    np.testing.assert_allclose(totals[3] + local[2], T, atol=1e-12)


def test_single_words_where_little_or_nothing_is_known():
    assert ngram.single(0.0, 0.0, 0.0, 0.0, 0.1, 4) == 0.25
    assert ngram.single(0.0, 0.0, 3.0, 6.0, 0.1, 4) == pytest.approx(3.1 / 6.4)
    assert ngram.single(1.0, 2.0, 3.0, 6.0, 0.1, 4) == pytest.approx((1 + 0.2 / 6) / (2 * (1 + 0.4 / 6)))


def test_a_fading_context_gives_way_to_the_shorter_one():
    shares = [ngram.longer(0.1, weight, weight, ngram.presence(weight)) for weight in (1.0, 1e-2, 1e-4, 1e-6)]
    assert shares[0] == pytest.approx((1 + 0.1) / 2)
    assert (np.diff(shares) < 0).all()
    assert shares[-1] == pytest.approx(0.1, abs=1e-3)
    assert ngram.longer(0.1, 0.0, 0.0, 0.0) == 0.1
