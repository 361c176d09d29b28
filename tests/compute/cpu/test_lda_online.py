from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles.lda import online_pass

from driftline.compute.cpu import lda_online
from driftline.compute.cpu.lda_memory import aligned, pad_columns, scratch_rows


@pytest.fixture
def corpus():
    rng = np.random.default_rng(4)
    X = sp.csr_matrix(rng.poisson(0.7, (9, 13)).astype(np.float64))
    return X, (X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data.astype(np.float32))


@pytest.mark.parametrize("n_blocks", [1, 3, 20])
def test_arrange_keeps_every_pair_once_and_words_apart(corpus, n_blocks):
    X, pairs = corpus
    rows = np.array([7, 0, 3])
    words, documents, counts, bounds, lengths = lda_online.arrange(rows, *pairs, X.shape[1], n_blocks)
    again = sp.csr_matrix((counts, (documents, words)), shape=(3, X.shape[1]))
    assert (again.toarray() == X[rows].toarray()).all()
    assert len(bounds) == n_blocks + 1
    np.testing.assert_array_equal(lengths, X[rows].sum(axis=1).A1)
    for block, (start, end) in enumerate(itertools.pairwise(bounds)):
        assert (words[start:end] % n_blocks == block).all()
        assert (np.diff(words[start:end]) >= 0).all()


@pytest.mark.parametrize("n_blocks", [1, 3, 20])
def test_few_pairs_are_arranged_as_many(corpus, n_blocks):
    _, (indptr, words, counts) = corpus
    counts = counts + np.float32(0.1)  # sums of which depend on the order
    for rows in (np.array([7, 0, 3]), np.array([4]), np.arange(9), np.empty(0, dtype=np.int64)):
        few = lda_online.arrange_few(rows, indptr, words, counts, 13, n_blocks)
        many = lda_online.arrange_many(rows, indptr, words, counts, 13, n_blocks)
        for one, other in zip(few, many):
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype


def test_the_words_that_are_not_in_the_documents_cost_nothing_where_the_documents_are_few(corpus, monkeypatch):
    _, pairs = corpus
    monkeypatch.setattr(lda_online, "arrange_many", None)
    *_, lengths = lda_online.arrange(np.arange(9), *pairs, 200_000, 1)
    assert lengths.sum() == pairs[2].sum()


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("n_topics", [3, 16, 37])
def test_learn_pairs_equals_the_oracle(corpus, n_topics, own):
    X, pairs = corpus
    rng = np.random.default_rng(5)
    M, alpha, beta = (
        rng.gamma(2.0, 1.0, (13, n_topics)),
        rng.uniform(0.1, 0.5, (9, n_topics) if own else n_topics),
        0.02,
    )
    old = rng.gamma(1.0, 1.0, (9, n_topics))
    width = -(-n_topics // 16) * 16
    words, documents, counts, _, lengths = lda_online.arrange(np.arange(9), *pairs, 13, 1)
    inverse = pad_columns(1 / (M.sum(axis=0) + 13 * beta), width)
    values, new = pad_columns(M / 0.5, width), aligned((9, width))
    lda_online.learn_pairs(
        words,
        documents,
        counts,
        values,
        inverse,
        pad_columns(alpha, width),
        np.float32(beta),
        np.float32(0.5),
        np.float32(2.0 / 0.5),
        pad_columns(old, width),
        new,
        lengths,
        lengths.copy(),
        scratch_rows(3, width),
    )
    expected_new, expected_M = online_pass(X.toarray(), M, alpha, beta, old, 2.0, list(zip(documents, words)))
    np.testing.assert_allclose(new[:, :n_topics], expected_new, rtol=2e-4, atol=1e-5)
    np.testing.assert_allclose(values[:, :n_topics] * 0.5, expected_M, rtol=2e-4, atol=1e-5)
    assert not new[:, n_topics:].any()
    assert not values[:, n_topics:].any()


def test_add_up_sums_columns_and_distances():
    rng = np.random.default_rng(3)
    old, new = pad_columns(rng.random((5, 20)), 32), pad_columns(rng.random((5, 20)), 32)
    totals = np.ones(32)
    moved = lda_online.add_up(old, new, totals)
    np.testing.assert_allclose(totals, 1 + new.sum(axis=0), rtol=1e-6)
    assert moved == pytest.approx(np.abs(new - old).sum(), rel=1e-5)


def test_warm_documents_reach_the_fixed_point(corpus):
    _, pairs = corpus
    rng = np.random.default_rng(6)
    M, alpha = pad_columns(rng.gamma(0.3, 1.0, (13, 4)), 16), pad_columns(np.full(4, 0.3), 16)
    inverse = pad_columns(1 / (M.sum(axis=0)[:4] + 0.13), 16)
    n_documents = aligned((2, 16))
    n_documents += alpha
    rows = np.array([2, 5])
    arguments = (rows, *pairs, M, inverse, alpha, np.float32(0.01), np.float32(1.0))
    lda_online.warm_documents(*arguments, 400, n_documents, scratch_rows(2, 16))
    before = n_documents.copy()
    lda_online.warm_documents(*arguments, 1, n_documents, scratch_rows(2, 16))
    np.testing.assert_allclose(n_documents, before, atol=2e-3)
    lengths = [pairs[2][pairs[0][r] : pairs[0][r + 1]].sum() for r in rows]
    np.testing.assert_allclose(n_documents.sum(axis=1), lengths, rtol=1e-5)


def test_rows_are_fetched_and_stored():
    kept, out = pad_columns(np.arange(12.0).reshape(4, 3), 16), aligned((2, 16))
    rows = np.array([3, 1])
    lda_online.fetch_rows(kept, rows, out)
    np.testing.assert_array_equal(out, kept[rows])
    lda_online.store_rows(kept, rows[::-1].copy(), out)
    np.testing.assert_array_equal(kept[:, :3], [[0, 1, 2], [9, 10, 11], [6, 7, 8], [3, 4, 5]])
