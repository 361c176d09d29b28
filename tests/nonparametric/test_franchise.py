"""The sampler of the franchise: against the posterior over all seatings and menus, and Geweke's test."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp
from tests.oracles.franchise import named, token_posterior

from driftline.nonparametric.franchise import Carried, Franchise, Priors, begin, recounted
from driftline.nonparametric.hdp_chains import FRANCHISE_GIBBS
from driftline.nonparametric.topic_start import first_topics, lay_out

DOCUMENTS = [[0, 0, 1], [1, 2, 2]]
PRIORS = Priors(document=1.3, topic=0.7, word=0.3)


def counts_of(documents, n_words):
    return sp.csr_matrix(np.array([np.bincount(document, minlength=n_words) for document in documents], dtype=float))


def problem_of(documents, n_words, priors=PRIORS, carried=None):
    tokens = lay_out(counts_of(documents, n_words))
    carried = carried or Carried.nothing(n_words, 1)
    return Franchise(tokens, np.zeros(len(tokens.words), dtype=np.int32), priors, carried)


def in_order(sample, tokens):
    """Return the topics of tokens by document and word, as the oracle has them."""
    return sample.topics[np.lexsort((tokens.words, tokens.documents))].tolist()


def sampled(problem, n, rng, key):
    state, found = begin(problem, rng), Counter()
    for step in range(n + 100):
        state, _ = FRANCHISE_GIBBS.step(state, problem, rng)
        if step >= 100:
            found[key(state)] += 1
    return found


def test_samples_follow_the_exact_posterior():
    problem, rng, n = problem_of(DOCUMENTS, 3), np.random.default_rng(0), 5_000
    expected = token_posterior(DOCUMENTS, 3, 1.3, 0.7, 0.3)
    found = sampled(problem, n, rng, lambda state: named(in_order(state, problem.tokens)))
    assert sum(expected.values()) == pytest.approx(1.0)
    for key, chance in expected.items():
        assert found[key] / n == pytest.approx(chance, abs=0.025), key


def test_samples_follow_the_posterior_given_earlier_epochs():
    words = np.array([[2.5, 0.0], [0.5, 0.0], [0.0, 1.5]], dtype=np.float32)
    carried = Carried(words, np.array([[0.8, 1.7]]), np.array([0.8, 1.7]), np.array([4, 7]), 9)
    documents = [[0, 1], [1, 2, 2]]
    problem, rng, n = problem_of(documents, 3, carried=carried), np.random.default_rng(1), 5_000
    expected = token_posterior(documents, 3, 1.3, 0.7, 0.3, (0.8, 1.7), words.T.astype(float))

    def key(state):
        slots = {4: 0, 7: 1}
        return named([slots.get(int(state.ids[k]), 2 + int(k)) for k in in_order(state, problem.tokens)], 2)

    found = sampled(problem, n, rng, key)
    for labels, chance in expected.items():
        assert found[labels] / n == pytest.approx(chance, abs=0.025), labels


def test_counts_tables_and_ids_always_belong_to_the_topics():
    rng = np.random.default_rng(0)
    documents = [rng.integers(0, 30, 25) for _ in range(40)]
    problem = problem_of(documents, 30, Priors(word=0.1))
    problem = problem._replace(
        first=first_topics(counts_of(documents, 30), problem.tokens, 6, 0.1, rng), n_restructured=40
    )
    state, names = begin(problem, rng), {}
    for _ in range(60):
        before = dict(zip(state.ids.tolist(), range(len(state.ids))))
        state, _ = FRANCHISE_GIBBS.step(state, problem, rng)
        again = recounted(state, problem)
        np.testing.assert_array_equal(state.counts, again.counts)
        np.testing.assert_allclose(state.totals, again.totals)
        used = np.bincount(state.topics, minlength=len(state.ids)) > 0
        np.testing.assert_array_equal(used, state.ids >= 0)
        assert state.weights.sum() == pytest.approx(1.0)
        assert (state.weights[used] > 0).all()
        assert state.ids[state.rest] == -1
        live = state.ids[state.ids >= 0]
        assert len(set(live.tolist())) == len(live), "an id belongs to one slot"
        for name in live.tolist():
            assert names.setdefault(name, before.get(name, state.ids.tolist().index(name))) == state.ids.tolist().index(
                name
            ), "a topic stays in its slot"


@pytest.mark.slow
def test_geweke_the_joint_distribution_is_invariant():
    """Drawing topics, weights, concentrations and η given words, and words given topics, leaves the prior unchanged."""
    rng, n_words, shape, n_rounds = np.random.default_rng(3), 4, (3, 4), 30_000
    owners = np.repeat(np.arange(shape[0]), shape[1])

    def draw_prior():
        alpha, gamma, eta = np.maximum(rng.gamma(1.0, size=3), 1e-6)
        topics, menu, seats = [], [], {}
        for document in owners.tolist():
            own = seats.setdefault(document, [])
            weights = np.array([*[size for size, _ in own], alpha])
            place = int(rng.choice(len(weights), p=weights / weights.sum()))
            if place == len(own):
                dishes = np.array([*menu, gamma])
                dish = int(rng.choice(len(dishes), p=dishes / dishes.sum()))
                if dish == len(menu):
                    menu.append(0.0)
                menu[dish] += 1.0
                own.append([0, dish])
            own[place][0] += 1
            topics.append(own[place][1])
        return np.array(topics), alpha, gamma, eta

    def draw_words(topics, eta):
        logs = np.log(rng.gamma(eta + 1, size=(topics.max() + 1, n_words)))
        logs += np.log(rng.random(logs.shape)) / eta
        shares = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
        return np.array([rng.choice(n_words, p=shares[k] / shares[k].sum()) for k in topics])

    def described(topics, alpha, gamma, eta, words):
        sizes = np.bincount(topics)
        same = sum(len(set(topics[owners == d].tolist())) for d in range(shape[0]))
        return [
            (sizes > 0).sum(),
            sizes.max(),
            same,
            min(alpha, 9),
            min(gamma, 9),
            min(eta, 9),
            (np.bincount(words) ** 2).sum(),
        ]

    prior, chain = [], []
    for _ in range(n_rounds):
        topics, alpha, gamma, eta = draw_prior()
        prior.append(described(topics, alpha, gamma, eta, draw_words(topics, eta)))
    topics, alpha, gamma, eta = draw_prior()
    state = None
    for _ in range(n_rounds):
        words = draw_words(topics, eta)
        documents = [words[owners == d].tolist() for d in range(shape[0])]
        problem = problem_of(documents, n_words, Priors(word=0.0))
        tokens = problem.tokens
        place = np.lexsort((words, owners))  # the oracle's order of tokens within documents
        slots = np.empty(len(words), dtype=np.int32)
        slots[np.lexsort((tokens.words, tokens.documents))] = np.asarray(topics)[place]
        if state is None:
            state = begin(problem._replace(first=slots), rng)
        state = recounted(state._replace(topics=slots), problem)
        state, _ = FRANCHISE_GIBBS.step(state, problem, rng)
        ordered = state.topics[np.lexsort((tokens.words, tokens.documents))]
        topics = np.empty(len(words), dtype=int)
        topics[place] = ordered
        alpha, gamma, eta = state.document_concentration, state.concentration, state.word_prior
        chain.append(described(topics, alpha, gamma, eta, words))
    prior, chain = np.array(prior, dtype=float), np.array(chain, dtype=float)
    batches = chain.reshape(100, -1, chain.shape[1]).mean(axis=1)
    error = np.sqrt(batches.var(axis=0, ddof=1) / 100 + prior.var(axis=0) / n_rounds)
    z = (chain.mean(axis=0) - prior.mean(axis=0)) / error
    assert np.abs(z).max() < 4, z
