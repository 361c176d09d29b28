"""The implicit model by writing down every sequence of levels and topics."""

from __future__ import annotations

import itertools

import numpy as np


def level_matrix(theta, n_levels):
    """Stay with 1 - θ, each neighbour θ/2; at the edges the missing neighbour's share stays."""
    matrix = np.zeros((n_levels, n_levels))
    for i in range(n_levels):
        for j in (i - 1, i + 1):
            if 0 <= j < n_levels:
                matrix[i, j] = theta / 2
        matrix[i, i] = 1 - matrix[i].sum()
    return matrix


def posterior_by_enumeration(text, gaps, rates, matrices, prior):
    """Return log-evidence, topic posteriors, level posteriors, best joint levels and the EM counts.

    `matrices[t]` leads into document t. All is summed over every joint sequence of levels and every sequence of topics.
    """
    n, n_topics = np.shape(text)
    n_levels = len(rates)
    topics = np.zeros((n, n_topics))
    levels = np.zeros((n, n_topics, n_levels))
    moves, first = np.zeros((n_levels, n_levels)), np.zeros(n_levels)
    events, exposure = np.zeros(n_levels), np.zeros(n_levels)
    evidence, best, best_weight = 0.0, None, -1.0
    chains = list(itertools.product(range(n_levels), repeat=n))
    for path in itertools.product(chains, repeat=n_topics):
        weight = 1.0
        for chain in path:
            weight *= prior[chain[0]]
            for t in range(1, n):
                weight *= matrices[t][chain[t - 1], chain[t]]
        if weight == 0:
            continue
        for t in range(n):
            weight *= np.exp(-gaps[t] * sum(rates[chain[t]] for chain in path))
        summed = 0.0
        for labels in itertools.product(range(n_topics), repeat=n):
            joint = weight
            for t, k in enumerate(labels):
                joint *= rates[path[k][t]] * text[t, k]
            summed += joint
            for t, k in enumerate(labels):
                topics[t, k] += joint
                events[path[k][t]] += joint
        evidence += summed
        if summed > best_weight:
            best, best_weight = np.array(path).T, summed
        for k, chain in enumerate(path):
            first[chain[0]] += summed
            for t in range(n):
                levels[t, k, chain[t]] += summed
                exposure[chain[t]] += summed * gaps[t]
                if t:
                    moves[chain[t - 1], chain[t]] += summed
    counts = tuple(part / evidence for part in (moves, first, events, exposure))
    return np.log(evidence), topics / evidence, levels / evidence, best, counts


def chain_messages(sites, matrices, prior):
    """Return a chain's beliefs before each document, and the messages from behind it: both documents × levels."""
    n, n_levels = sites.shape
    before, behind = np.empty((n, n_levels)), np.ones((n, n_levels))
    belief = prior
    for t in range(n):
        before[t] = belief if t == 0 else belief @ matrices[t]
        belief = before[t] * sites[t]
        belief = belief / belief.sum()
    for t in range(n - 2, -1, -1):
        behind[t] = matrices[t + 1] @ (sites[t + 1] * behind[t + 1])
        behind[t] /= behind[t].sum()
    return before, behind


def expectation_propagation(text, gaps, rates, matrices, prior, n_sweeps=400, damping=0.5):
    """Return topic and level posteriors at the fixed point of the cavity means, by plain loops."""
    n, n_topics = text.shape
    fade = np.exp(-np.outer(gaps, rates))
    means = np.full((n, n_topics), rates.mean())

    def sites(k):
        others = (text * means).sum(axis=1) - text[:, k] * means[:, k]
        return fade * (rates * text[:, [k]] + others[:, None])

    for _ in range(n_sweeps):
        fresh = np.empty_like(means)
        for k in range(n_topics):
            before, behind = chain_messages(sites(k), matrices, prior)
            cavity = before * behind * fade
            fresh[:, k] = (cavity @ rates) / cavity.sum(axis=1)
        means = np.exp((1 - damping) * np.log(means) + damping * np.log(fresh))
    topics = text * means
    levels = np.empty((n, n_topics, len(rates)))
    for k in range(n_topics):
        before, behind = chain_messages(sites(k), matrices, prior)
        levels[:, k] = before * behind * sites(k)
    return topics / topics.sum(axis=1, keepdims=True), levels / levels.sum(axis=2, keepdims=True)


def structured_bound(text, gaps, rates, matrices, prior, topics):
    """Return the variational bound for given label beliefs, with the chains at their best."""
    bound = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        bound += np.nansum(topics * (np.log(text) - np.log(topics)))
    for k in range(text.shape[1]):
        sites = rates ** topics[:, [k]] * np.exp(-np.outer(gaps, rates))
        belief = prior * sites[0]
        for t in range(1, len(gaps)):
            belief = (belief @ matrices[t]) * sites[t]
        bound += np.log(belief.sum())
    return bound


def explicit_by_enumeration(text, gaps, rates, matrix, prior):
    """Return the explicit model's log-evidence and the last document's topic posterior, over all levels and labels."""
    n, n_topics = text.shape
    n_levels = len(rates)
    last = np.zeros(n_topics)
    for path in itertools.product(itertools.product(range(n_levels), repeat=n), repeat=n_topics):
        weight = 1.0
        for chain in path:
            weight *= prior[chain[0]]
            for t in range(1, n):
                weight *= matrix[chain[t - 1], chain[t]]
        for labels in itertools.product(range(n_topics), repeat=n):
            joint = weight
            scheduled = [chain[0] for chain in path]
            for t, k in enumerate(labels):
                joint *= np.exp(-gaps[t] * sum(rates[s] for s in scheduled)) * rates[scheduled[k]] * text[t, k]
                scheduled[k] = path[k][t]
            last[labels[-1]] += joint
    return np.log(last.sum()), last / last.sum()
