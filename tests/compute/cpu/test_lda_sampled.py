from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from driftline.compute.cpu import lda_epochs, lda_memory
from driftline.compute.cpu.lda_sampled import gamma, sample_documents, uniform
from driftline.compute.jit import njit

N_TOPICS, N_WORDS = 3, 4


@njit()
def gammas(shape, seed, n):
    found = np.empty(n)
    for i in range(n):
        found[i] = gamma(np.float32(shape), seed, i)
    return found


@njit()
def uniforms(seed, n):
    found = np.empty((n, 3))
    for i in range(n):
        for j in range(3):
            found[i, j] = uniform(seed, i, j)
    return found


@pytest.mark.parametrize("shape", [0.3, 0.7, 1.0, 3.2, 400.0])
def test_gamma_variates_have_their_distribution(shape):
    assert stats.kstest(gammas(shape, 17, 20_000), stats.gamma(shape).cdf).statistic < 0.012


def test_uniform_numbers_are_uniform_and_differ_between_seeds_and_numbers():
    first, second = uniforms(1, 20_000), uniforms(2, 20_000)
    for column in (*first.T, *second.T):
        assert stats.kstest(column, "uniform").statistic < 0.012
    apart = np.corrcoef(np.concatenate([first.T, second.T]))
    assert np.abs(apart - np.eye(6)).max() < 0.03


def one_pass(counts, old, seed, weight=1.0):
    """Return topic counts of one document, and the counts of words × topics, after a pass."""
    width, words = lda_memory.padded(N_TOPICS), np.arange(len(counts), dtype=np.int32)
    start = np.random.default_rng(0).gamma(1.0, 1.0, (N_WORDS, N_TOPICS)).astype(np.float32)
    sums = lda_epochs.sums_of(start, N_WORDS, N_TOPICS, 9.0, True)
    shares = lda_epochs.word_shares(sums, N_WORDS, N_TOPICS, 0.01)
    lda_epochs.forget(sums, 0.0, np.empty(0, np.int64), np.empty((0, width)))
    documents = lda_memory.pad_columns(old, width)
    alpha = lda_epochs.prior_of(np.full(N_TOPICS, 0.2), N_TOPICS)
    pairs = np.array([0, len(counts)]), words, np.asarray(counts, dtype=np.float32)
    sample_documents(documents, *pairs, shares, alpha, sums, N_TOPICS, 0, weight, seed)
    table = lda_epochs.counts_of(sums).reshape(N_WORDS, width)[:, :N_TOPICS]
    return documents[:N_TOPICS], table, shares.reshape(N_WORDS, width)[:, :N_TOPICS], lda_epochs.moved_by(sums)


def test_every_token_gets_a_topic_and_its_probabilities_are_added():
    counts, old = [2.0, 1.0, 0.0, 3.0], [4.0, 0.0, 2.0]
    drawn, table, shares, moved = one_pass(counts, old, 5, weight=2.0)
    assert drawn.sum() == 6.0
    np.testing.assert_array_equal(drawn, np.rint(drawn))
    assert moved == np.abs(drawn - old).sum()
    theta = np.array([gammas_at(old[k] + 0.2, 5, k) for k in range(N_TOPICS)])
    expected = shares * theta
    expected *= 2.0 * np.array(counts)[:, None] / expected.sum(axis=1, keepdims=True)  # Eq. 2
    np.testing.assert_allclose(table, expected, rtol=1e-4)


def gammas_at(shape, seed, place):
    return gammas(shape, seed, place + 1)[place]


def test_topics_are_drawn_with_their_probabilities():
    drawn, expected = np.zeros(N_TOPICS), np.zeros(N_TOPICS)
    for seed in range(4000):
        found, table, _, _ = one_pass([1.0, 2.0], [1.0, 1.0, 1.0], seed)
        drawn += found
        expected += table.sum(axis=0)
    assert np.abs(drawn - expected).max() < 4 * np.sqrt(drawn.max())


def test_a_count_that_is_not_whole_is_rounded_at_random():
    found = [one_pass([0.25], [1.0, 1.0, 1.0], seed)[0].sum() for seed in range(2000)]
    assert set(found) == {0.0, 1.0}
    assert abs(np.mean(found) - 0.25) < 0.03


def test_passes_with_fixed_topics_reach_the_posterior():
    """Two tokens, two passes of Gibbs sampling many times: the mean counts are those of all assignments, weighted."""
    _, _, shares, _ = one_pass([1.0, 1.0], [1.0, 1.0, 0.0], 0)
    alpha, expected, total = 0.2, np.zeros(N_TOPICS), 0.0
    for i in range(N_TOPICS):
        for j in range(N_TOPICS):
            weight = shares[0, i] * alpha * shares[1, j] * (alpha + (i == j))
            expected += weight * (np.eye(N_TOPICS)[i] + np.eye(N_TOPICS)[j])
            total += weight
    state, mean = np.array([1.0, 1.0, 0.0]), np.zeros(N_TOPICS)
    for seed in np.random.default_rng(0).integers(2**31, size=6000).tolist():
        state = one_pass([1.0, 1.0], state, seed)[0]
        mean += state / 6000
    np.testing.assert_allclose(mean, expected / total, atol=0.08)
