"""One document in and out of a cluster; the sampler as a whole is tested in `tests/nonparametric`."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.partitions import log_words

from driftline.compute.cpu.dirichlet_clusters import (
    is_moderate,
    log_predictive,
    log_predictives,
    put_in,
    score_documents,
    take_out,
)


def test_a_document_that_leaves_takes_all_of_its_words():
    rng = np.random.default_rng(0)
    documents = rng.integers(0, 4, (6, 5)).astype(float)
    counts, totals, sizes = np.zeros((2, 5)), np.zeros(2), np.zeros(2, dtype=np.int64)
    for row in documents:
        words = np.flatnonzero(row)
        put_in(words, row[words], row.sum(), 1, counts, totals, sizes)
    np.testing.assert_array_equal(counts[1], documents.sum(axis=0))
    for n, row in enumerate(documents, 1):
        words = np.flatnonzero(row)
        take_out(words, row[words], row.sum(), 1, counts, totals, sizes)
        np.testing.assert_array_equal(counts[1], documents[n:].sum(axis=0))
        assert totals[1] == documents[n:].sum()
        assert sizes[1] == 6 - n
    assert not counts[0].any()


def test_a_cluster_left_empty_is_exactly_zero():
    counts, totals, sizes = np.array([[0.1 + 0.2]]), np.array([0.1 + 0.2]), np.array([1])
    take_out(np.array([0]), np.array([0.3]), 0.3, 0, counts, totals, sizes)
    assert (counts[0, 0], totals[0], sizes[0]) == (0.0, 0.0, 0)


def test_the_predictive_probability_is_a_ratio_of_evidences():
    held, new = np.array([[2.0, 0, 1], [1, 1, 0]]), np.array([0.0, 3, 1])
    words = np.flatnonzero(new)
    counts = held.sum(axis=0)
    found = log_predictive(words, new[words], new.sum(), counts, counts.sum(), 0.3)
    assert found == pytest.approx(log_words([*held, new], 0.3) - log_words(held, 0.3))


@pytest.mark.parametrize("beta", [1e-9, 0.01, 3.0])
@pytest.mark.parametrize("scale", [1.0, 0.3, 40.0, 1e8])
def test_it_holds_for_many_words_and_for_counts_of_any_size(beta, scale):
    rng = np.random.default_rng(0)
    held, new = rng.poisson(0.5, (3, 2000)) * scale, rng.poisson(0.5, 2000) * scale
    words, counts = np.flatnonzero(new), held.sum(axis=0)
    found = log_predictive(words, new[words], new.sum(), counts, counts.sum(), beta)
    assert found == pytest.approx(log_words([*held, new], beta) - log_words(held, beta), rel=1e-9)


@pytest.mark.parametrize("beta", [1e-9, 0.01, 3.0])
@pytest.mark.parametrize("scale", [1.0, 0.3, 5.0, 40.0, 1e8])
def test_all_clusters_at_once_are_the_same(beta, scale):
    rng = np.random.default_rng(0)
    counts, new = rng.poisson(0.5, (7, 400)) * scale, rng.poisson(0.5, (3, 400)) * scale
    counts[3] = 0.0  # a free row
    expected = np.array([[log_words([row, one], beta) - log_words([row], beta) for row in counts] for one in new])
    found, product, moderate = np.empty(7), np.empty(7), is_moderate(counts, beta)
    for row, one in zip(expected, new):
        words = np.flatnonzero(one)
        fixed = (np.ascontiguousarray(counts.T), counts.sum(axis=1), beta, moderate)
        log_predictives(words, one[words], one.sum(), *fixed, product, found)
        np.testing.assert_allclose(found, row, rtol=1e-9)
    rows, words = np.nonzero(new)
    indptr = np.searchsorted(rows, np.arange(4))
    scores = np.empty((3, 7))
    score_documents(indptr, words, new[rows, words], new.sum(axis=1), counts, counts.sum(axis=1), beta, scores)
    np.testing.assert_allclose(scores, expected, rtol=1e-9)


def test_factors_beyond_the_bounds_are_not_multiplied():
    assert is_moderate(np.full((2, 3), 10.0), 0.1)
    assert not is_moderate(np.full((2, 3), 1e6), 0.1)
    assert not is_moderate(np.full((2, 3), 10.0), 1e-7)
