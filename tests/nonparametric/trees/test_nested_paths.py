"""The sampler of hierarchical topics: against the posterior over all trees and levels, and Geweke's test."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles import nested_topics as oracle

from driftline.nonparametric.priors import NestedChineseRestaurant
from driftline.nonparametric.trees.nested_paths import NESTED_GIBBS, Tokens, begin, draw_paths, log_joint, recounted

DOCUMENTS = [[0, 0], [0, 1], [1, 2]]
N_WORDS, GAMMA, ALPHA = 3, 0.9, 0.6


def problem_of(documents, etas, gamma=GAMMA, n_words=N_WORDS):
    X = np.array([np.bincount(words, minlength=n_words) for words in documents], dtype=float)
    return Tokens.of(sp.csr_matrix(X), len(etas), gamma, ALPHA, np.array(etas))


@pytest.mark.parametrize("etas", [(0.4, 0.4), (0.8, 0.5, 0.3)], ids=["2 levels", "3 levels"])
def test_samples_follow_the_exact_posterior(etas):
    expected = oracle.path_posterior(DOCUMENTS, len(etas), N_WORDS, GAMMA, ALPHA, etas)
    problem, rng, n, found = problem_of(DOCUMENTS, etas), np.random.default_rng(0), 12_000, Counter()
    state = begin(problem, rng)
    for _ in range(n):
        state = draw_paths(state, problem, rng)
        found[oracle.tree_key(state.paths)] += 1
    assert set(found) <= set(expected)
    for key, chance in expected.items():
        assert found[key] / n == pytest.approx(chance, abs=0.02), key


def test_levels_of_the_present_path_are_kept():
    """Ambiguous documents, for which fresh levels on all paths would shift the posterior by 0.03."""
    documents = [[0, 0, 1, 1], [0, 0, 1, 1]]
    X = np.array([np.bincount(words) for words in documents], dtype=float)
    expected = oracle.path_posterior(documents, 2, 2, GAMMA, 0.1, (0.05, 0.05))
    problem = Tokens.of(sp.csr_matrix(X), 2, GAMMA, 0.1, np.array([0.05, 0.05]))
    rng, n, together = np.random.default_rng(0), 12_000, 0
    state = begin(problem, rng)
    for _ in range(n):
        state = draw_paths(state, problem, rng)
        together += state.paths[0, 1] == state.paths[1, 1]
    assert together / n == pytest.approx(expected[((0, 0), (0, 0))], abs=0.015)


def test_the_objective_is_the_log_joint_probability():
    etas, rng = (0.8, 0.5, 0.3), np.random.default_rng(0)
    problem = problem_of(DOCUMENTS, etas)
    for paths, levels in itertools.product(oracle.all_paths(3, 3), rng.integers(0, 3, (5, 6))):
        rows = paths + np.array([0, 1, 10])  # each level has rows of its own
        found = log_joint(recounted(levels, rows, GAMMA, problem), problem)
        own = [levels[0:2], levels[2:4], levels[4:6]]
        assert found == pytest.approx(oracle.log_joint(DOCUMENTS, paths, own, N_WORDS, GAMMA, ALPHA, etas))


def test_counts_and_nodes_always_belong_to_the_paths():
    rng = np.random.default_rng(0)
    documents = [rng.integers(0, 20, 12) for _ in range(50)]
    problem = problem_of(documents, (0.1, 0.1, 0.1), gamma=3.0, n_words=20)
    state = begin(problem, rng)
    for _ in range(6):
        state = draw_paths(state, problem, rng)
        again = recounted(state.levels, state.paths, 3.0, problem)
        used = np.flatnonzero(state.members)
        for name in ("members", "counts", "totals", "depths", "parents"):
            np.testing.assert_array_equal(getattr(state, name)[used], getattr(again, name)[used])
        assert not state.counts[state.members == 0].any()
        assert (state.paths[:, 0] == 0).all()


@pytest.mark.slow
def test_geweke_the_joint_distribution_is_invariant():
    """Drawing paths, levels and γ given words, and words given paths and levels, leaves the prior unchanged."""
    rng, etas, n, length, n_words, n_rounds = np.random.default_rng(2), (0.7, 0.4, 0.3), 6, 4, 4, 10_000
    depth = len(etas)

    def words_given(paths, levels):
        shares, words = {}, np.empty((n, length), dtype=int)
        for d in range(n):
            for i in range(length):
                key = (int(levels[d, i]), int(paths[d, levels[d, i]]))
                if key not in shares:
                    shares[key] = rng.dirichlet(np.full(n_words, etas[key[0]]))
                words[d, i] = rng.choice(n_words, p=shares[key])
        return words

    def described(paths, levels, gamma, words):
        n_nodes = [len(np.unique(column)) for column in paths.T]
        return [*n_nodes[1:], min(gamma, 9), (levels == 0).sum(), (np.bincount(words.ravel()) ** 2).sum()]

    prior, chain = [], []
    for _ in range(n_rounds):
        gamma = max(rng.gamma(1.0), 1e-6)
        paths = NestedChineseRestaurant(gamma, depth).sample(n, rng)
        levels = np.array([rng.choice(depth, length, p=rng.dirichlet(np.full(depth, ALPHA))) for _ in range(n)])
        prior.append(described(paths, levels, gamma, words_given(paths, levels)))
    for _ in range(n_rounds):
        words = words_given(paths, levels)
        order = np.argsort(words, axis=1, kind="stable")
        problem = problem_of(words, etas, 0.0, n_words)
        rows = np.unique(paths * depth + np.arange(depth), return_inverse=True)[1].reshape(paths.shape)
        held = np.take_along_axis(levels, order, axis=1).ravel()
        state, _ = NESTED_GIBBS.step(recounted(held, rows, gamma, problem), problem, rng)
        paths, gamma = np.array(oracle.tree_key(state.paths)).T, state.concentration
        levels = np.empty_like(levels)
        np.put_along_axis(levels, order, state.levels.reshape(n, length), axis=1)
        chain.append(described(paths, levels, gamma, words))
    prior, chain = np.array(prior, dtype=float), np.array(chain, dtype=float)
    batches = chain.reshape(100, -1, chain.shape[1]).mean(axis=1)
    error = np.sqrt(batches.var(axis=0, ddof=1) / 100 + prior.var(axis=0) / n_rounds)
    z = (chain.mean(axis=0) - prior.mean(axis=0)) / error
    assert np.abs(z).max() < 4, z
