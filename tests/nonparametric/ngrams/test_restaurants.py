"""The seats of tokens: against enumeration, sums after every sweep, and Geweke's test."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tests.oracles.pitman_yor_ngrams import drawn_documents, tables_posterior

from driftline.base.sequence_input import as_sequences
from driftline.compute import current_kernels
from driftline.nonparametric.ngrams.restaurants import (
    SEATING_GIBBS,
    Restaurants,
    begin,
    draw_parameters,
    draw_seats,
)
from driftline.text.ngram_index import index_ngrams
from driftline.text.sequences import TokenSequences


def problem_of(documents, order, n_words):
    sequences = as_sequences(documents)
    index = index_ngrams(sequences, order, n_words)
    return Restaurants.of(index, sequences), index


def written_out(index):
    """Return every n-gram as a tuple of words, by number."""
    grams = [(word,) for word in range(index.n_words)]
    for keys in index.keys:
        grams += [(*grams[index.context_of[len(grams) + i]], int(key % index.n_words)) for i, key in enumerate(keys)]
    return grams


def sizes_of(sample, problem, g):
    return tuple(sorted(sample.sizes[problem.starts[g] :][: sample.tables[g]].tolist()))


@pytest.mark.parametrize(
    ("documents", "order"),
    [([[1, 1, 1, 1, 1, 0]], 1), ([[0, 1], [0, 1], [0, 1], [0, 2, 1]], 2), ([[0, 0, 0, 0]], 3), ([[1, 1, 0, 1]], 1)],
)
def test_tables_follow_the_exact_posterior(documents, order):
    discounts, concentrations = np.array([0.3, 0.6, 0.4])[:order], np.array([0.8, 0.5, 1.5])[:order]
    expected = tables_posterior(documents, order, discounts, concentrations, 3)
    problem, index = problem_of(documents, order, 3)
    names, rng, n = written_out(index), np.random.default_rng(0), 40_000
    sample = begin(problem, rng)._replace(discounts=discounts, concentrations=concentrations)
    found = Counter()
    for _ in range(n):
        sample = draw_seats(sample, problem, rng)
        found[tuple(sorted((names[g], sizes_of(sample, problem, g)) for g in np.flatnonzero(sample.customers)))] += 1
    assert set(found) <= set(expected)
    for key, probability in expected.items():
        assert found[key] / n == pytest.approx(probability, abs=0.012)


def test_sums_always_belong_to_the_seats():
    rng = np.random.default_rng(1)
    documents = [rng.integers(0, 6, rng.integers(0, 30)) for _ in range(20)]
    problem, index = problem_of(documents, 3, 6)
    sample = begin(problem, rng)
    context_of, suffix_of = index.context_of, index.suffix_of
    for _ in range(5):
        for g in range(len(problem.direct)):
            sizes = sample.sizes[problem.starts[g] : problem.starts[g + 1]]
            assert (sizes[: sample.tables[g]] > 0).all()
            assert not sizes[sample.tables[g] :].any()
            assert sizes.sum() == sample.customers[g]
            assert sample.customers[g] == problem.direct[g] + sample.tables[suffix_of == g].sum()
        np.testing.assert_array_equal(np.bincount(context_of, sample.customers, len(sample.totals)), sample.totals)
        np.testing.assert_array_equal(np.bincount(context_of, sample.tables, len(sample.totals)), sample.n_tables)
        sample, _ = SEATING_GIBBS.step(sample, problem, rng)
    assert problem.direct.sum() == sum(len(document) for document in documents)


def test_true_discounts_are_found():
    rng = np.random.default_rng(3)
    truth = np.array([0.3, 0.8])
    documents = drawn_documents(rng, 60, 200, 200, truth, np.array([2.0, 1.0]))
    problem, _ = problem_of(documents, 2, 200)
    sample, kept = begin(problem, rng), []
    for sweep in range(60):
        sample, _ = SEATING_GIBBS.step(sample, problem, rng)
        if sweep >= 20:
            kept.append(sample.discounts)
    np.testing.assert_allclose(np.mean(kept, axis=0), truth, atol=0.1)


@pytest.mark.slow
def test_geweke_the_joint_distribution_is_invariant():
    """Seats, d and θ given words, and words given the seats of all others, must leave the prior unchanged.

    Contexts are fixed: every context of one word has three tokens, and each n-gram has a cell with enough space.
    """
    rng, n_words, per_context, n_rounds = np.random.default_rng(1), 3, 3, 20_000
    every = TokenSequences(
        np.array([[a, b] for a in range(n_words) for b in range(n_words)]).ravel(), 2 * np.arange(n_words**2 + 1)
    )
    index = index_ngrams(every, 2, n_words)
    n_grams = int(index.starts[-1])
    capacity = np.where(np.arange(n_grams) < n_words, n_words * per_context, per_context)
    starts = np.concatenate([[0], np.cumsum(capacity)])

    def problem_with(direct):
        return Restaurants(n_words, index.starts, direct, index.context_of, index.suffix_of, starts)

    empty = begin(problem_with(np.zeros(n_grams, dtype=np.int64)), rng)

    def entered(sample, direct, context):
        """Draw a word of a context and its seat; return its n-gram."""
        p = np.full(n_words, 1 / n_words)
        for m, cells, r in (
            (0, np.arange(n_words), n_grams),
            (1, n_words * (1 + context) + np.arange(n_words), context),
        ):
            d, theta = sample.discounts[m], sample.concentrations[m]
            rest = (theta + d * sample.n_tables[r]) * p
            p = (sample.customers[cells] - d * sample.tables[cells] + rest) / (theta + sample.totals[r])
        word = int(np.searchsorted(p.cumsum(), rng.random() * p.sum()))
        gram = n_words + context * n_words + word
        seat(sample, np.arange(n_grams) == gram, False)
        direct[gram] += 1

    def seat(sample, who, seated):
        """Seat one customer of the cells `who` (again)."""
        current_kernels().ngram_seating.sweep_customers(
            who.astype(np.int64),
            index.context_of,
            index.suffix_of,
            starts,
            sample.discounts,
            sample.concentrations,
            1 / n_words,
            *sample[:5],
            seated,
            int(rng.integers(2**31)),
        )

    def removed(sample, gram):
        """Take one customer out of a cell, by plain code."""
        while gram >= 0:
            sizes = sample.sizes[starts[gram] : starts[gram + 1]]
            k = int(rng.choice(len(sizes), p=sizes / sizes.sum()))
            sizes[k] -= 1
            sample.customers[gram] -= 1
            sample.totals[index.context_of[gram]] -= 1
            if sizes[k]:
                return
            sizes[:] = np.sort(sizes)[::-1]
            sample.tables[gram] -= 1
            sample.n_tables[index.context_of[gram]] -= 1
            gram = int(index.suffix_of[gram])

    def described(sample):
        tables = sample.n_tables[:n_words].sum(), sample.n_tables[-1]
        words = sample.customers[n_words:]
        return [*sample.discounts, *sample.concentrations, *tables, (words**2).sum(), (sample.sizes**2).sum()]

    def from_prior():
        state = [np.zeros_like(part) for part in empty[:5]]
        sample = empty._replace(**dict(zip(empty._fields, state)))
        sample = sample._replace(discounts=rng.random(2), concentrations=rng.gamma(1.0, size=2))
        direct = np.zeros(n_grams, dtype=np.int64)
        for context in np.repeat(np.arange(n_words), per_context):
            entered(sample, direct, int(context))
        return sample, direct

    prior = np.array([described(from_prior()[0]) for _ in range(n_rounds // 4)], dtype=float)
    sample, direct = from_prior()
    chain = []
    for _ in range(n_rounds):
        for context in range(n_words):
            cells = n_words + context * n_words + np.arange(n_words)
            gram = int(rng.choice(cells, p=direct[cells] / per_context))
            removed(sample, gram)
            direct[gram] -= 1
            entered(sample, direct, context)
        problem = problem_with(direct)
        sample = draw_parameters(draw_seats(sample, problem, rng), problem, rng)
        chain.append(described(sample))
    chain = np.array(chain, dtype=float)
    batches = chain.reshape(100, -1, chain.shape[1]).mean(axis=1)  # batch means: the chain is correlated
    error = np.sqrt(batches.var(axis=0, ddof=1) / 100 + prior.var(axis=0) / len(prior))
    z = (chain.mean(axis=0) - prior.mean(axis=0)) / error
    assert np.abs(z).max() < 4, z
