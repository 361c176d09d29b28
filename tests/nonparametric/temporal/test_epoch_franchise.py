"""The sampler of one epoch, given earlier ones: against all choices of all tokens, for several corpora; and Geweke."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles.franchise import named
from tests.oracles.grouped_franchise import Restaurants, choices, grouped_posterior

from driftline.nonparametric.franchise import Carried, Franchise, Priors, begin, recounted
from driftline.nonparametric.hdp_chains import FRANCHISE_GIBBS
from driftline.nonparametric.temporal.epoch_franchise import LEAST_TABLES, Schedule, carried_over, carried_topics
from driftline.nonparametric.topic_start import lay_out

WORDS = np.array([[2.5, 0.0], [0.5, 0.0], [0.0, 1.5]], dtype=np.float32)
GROUP_TABLES, TABLES = np.array([[0.8, 0.0], [0.3, 1.7]]), np.array([0.6, 1.2])


def problem_of(documents, groups, n_words, priors, carried):
    X = np.array([np.bincount(words, minlength=n_words) for words in documents], dtype=float)
    tokens = lay_out(sp.csr_matrix(X), np.asarray(groups), len(carried.group_tables))
    return Franchise(tokens, np.zeros(len(tokens.words), dtype=np.int32), priors, carried)


def test_samples_follow_the_exact_posterior_of_two_corpora_given_earlier_epochs():
    documents, groups = [[0, 2], [1, 2]], [0, 1]
    carried = Carried(WORDS, GROUP_TABLES, TABLES, np.array([4, 7]), 9)
    priors = Priors(document=1.3, topic=0.7, group=0.9, word=0.3)
    expected = grouped_posterior(documents, groups, 3, 1.3, 0.9, 0.7, 0.3, GROUP_TABLES, TABLES, WORDS.T.astype(float))
    problem, rng, n, found = (
        problem_of(documents, groups, 3, priors, carried),
        np.random.default_rng(0),
        8_000,
        Counter(),
    )
    order = np.lexsort((problem.tokens.words, problem.tokens.documents))
    state = begin(problem, rng)
    for step in range(n + 100):
        state, _ = FRANCHISE_GIBBS.step(state, problem, rng)
        if step >= 100:
            slots = {4: 0, 7: 1}
            found[named([slots.get(int(state.ids[k]), 2 + int(k)) for k in state.topics[order]], 2)] += 1
    assert sum(expected.values()) == pytest.approx(1.0)
    for key, chance in expected.items():
        assert found[key] / n == pytest.approx(chance, abs=0.025), key


def test_a_corpus_without_documents_is_kept():
    carried = Carried(WORDS, GROUP_TABLES, TABLES, np.array([4, 7]), 9)
    problem = problem_of([[0, 1], [1, 2]], [0, 0], 3, Priors(word=0.3), carried)
    rng = np.random.default_rng(0)
    state = begin(problem, rng)
    for _ in range(20):
        state, _ = FRANCHISE_GIBBS.step(state, problem, rng)
    np.testing.assert_allclose(state.group_weights.sum(axis=1), 1.0)
    assert not state.group_tables[1].any()


def test_carried_statistics_decay():
    carried = Carried(WORDS, GROUP_TABLES, TABLES, np.array([4, 7]), 9)
    problem = problem_of([[0, 1], [1, 2]], [0, 1], 3, Priors(word=0.3), carried)
    rng = np.random.default_rng(0)
    state, _ = FRANCHISE_GIBBS.step(begin(problem, rng), problem, rng)
    after = carried_over(state, carried, 2.0, Schedule(1, 1, 1, False, 4.0, 1.0, False))
    slots = [int(np.flatnonzero(state.ids == name)[0]) for name in after.ids]
    expected = state.tables + np.pad(TABLES, (0, len(state.tables) - 2))
    np.testing.assert_allclose(after.tables, np.exp(-0.5) * expected[slots])
    np.testing.assert_allclose(after.words, np.exp(-2.0) * state.counts[:, slots], rtol=1e-6)
    assert after.next_id == state.next_id
    late = carried_over(state, carried, 1000.0, Schedule(1, 1, 1, False, 4.0, 1.0, False))
    assert not len(late.ids), f"fewer than {LEAST_TABLES} tables"


def test_initial_topics_are_probable_ones():
    carried = Carried(100 * WORDS, GROUP_TABLES, TABLES, np.array([4, 7]), 9)
    problem = problem_of([[0] * 50, [2] * 50], [0, 1], 3, Priors(word=0.3), carried)
    found = carried_topics(problem.tokens, carried, 0.01, np.random.default_rng(0))
    np.testing.assert_array_equal(found, problem.tokens.words // 2)


@pytest.mark.slow
def test_geweke_the_joint_distribution_is_invariant():
    """Drawing topics, weights and concentrations given words, and words given topics, leaves the prior unchanged."""
    rng, n_words, length, n_rounds = np.random.default_rng(5), 3, 3, 12_000
    groups = np.array([0, 0, 1, 1])
    owners = np.repeat(np.arange(4), length)
    carried = Carried(WORDS, GROUP_TABLES, TABLES, np.array([0, 1]), 2)

    def draw_prior():
        alpha, gamma_group, gamma = np.maximum(rng.gamma(1.0, size=3), 1e-6)
        state, topics = Restaurants(GROUP_TABLES, TABLES), []
        for document in owners.tolist():
            options = [*choices(state, document, groups[document], alpha, gamma_group, gamma)]
            weights = np.array([chance for chance, _, _ in options])
            _, topic, state = options[int(rng.choice(len(options), p=weights / weights.sum()))]
            topics.append(topic)
        return np.array(topics), alpha, gamma_group, gamma

    def draw_words(topics):
        counts = {
            k: 0.3 + (WORDS[:, k].astype(float) if k < 2 else 0.0) + np.zeros(n_words) for k in set(topics.tolist())
        }
        words = np.empty(len(topics), dtype=int)
        for i, k in enumerate(topics.tolist()):
            words[i] = rng.choice(n_words, p=counts[k] / counts[k].sum())
            counts[k][words[i]] += 1
        return words

    def described(topics, *concentrations):
        sizes = np.bincount(topics, minlength=2)
        same = sum(len(set(topics[owners == d].tolist())) for d in range(4))
        return [(sizes > 0).sum(), sizes[0], sizes[1], same, *(min(value, 9) for value in concentrations)]

    prior, chain = [], []
    for _ in range(n_rounds):
        topics, *values = draw_prior()
        prior.append([*described(topics, *values), (np.bincount(draw_words(topics)) ** 2).sum()])
    state = None
    for _ in range(n_rounds):
        words = draw_words(topics)
        documents = [words[owners == d].tolist() for d in range(4)]
        problem = problem_of(documents, groups, n_words, Priors(word=0.3), carried)
        tokens, place = problem.tokens, np.lexsort((words, owners))
        slots = np.empty(len(words), dtype=np.int32)
        slots[np.lexsort((tokens.words, tokens.documents))] = topics[place]
        if state is None:
            state = begin(problem._replace(first=slots), rng)
            alpha, gamma_group, gamma = values
            state = state._replace(document_concentration=alpha, group_concentration=gamma_group, concentration=gamma)
        state = recounted(state._replace(topics=slots), problem)
        state, _ = FRANCHISE_GIBBS.step(state, problem, rng)
        topics = np.empty(len(words), dtype=int)
        topics[place] = state.topics[np.lexsort((tokens.words, tokens.documents))]
        values = (state.document_concentration, state.group_concentration, state.concentration)
        chain.append([*described(topics, *values), (np.bincount(words) ** 2).sum()])
    prior, chain = np.array(prior, dtype=float), np.array(chain, dtype=float)
    batches = chain.reshape(100, -1, chain.shape[1]).mean(axis=1)
    error = np.sqrt(batches.var(axis=0, ddof=1) / 100 + prior.var(axis=0) / n_rounds)
    z = (chain.mean(axis=0) - prior.mean(axis=0)) / error
    assert np.abs(z).max() < 4, z
