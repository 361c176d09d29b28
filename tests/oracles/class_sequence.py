"""The sticky chain and the neighbours' prior, written down as they are defined."""

from __future__ import annotations

import itertools

import numpy as np


def sticky_by_enumeration(likelihood, stay, shares):
    """Sum over every sequence of classes and of coins (copied or drawn).

    Returns the posteriors, the expected numbers of copies and of draws by class, and the log-evidence.
    """
    n, n_classes = np.shape(likelihood)
    posterior, drawn = np.zeros((n, n_classes)), np.zeros(n_classes)
    copied, evidence = 0.0, 0.0
    for labels in itertools.product(range(n_classes), repeat=n):
        for coins in itertools.product((False, True), repeat=n - 1):  # True: document t + 1 copies document t
            weight = shares[labels[0]] * likelihood[0][labels[0]]
            for t in range(1, n):
                same = labels[t] == labels[t - 1]
                weight *= (stay * same if coins[t - 1] else (1 - stay) * shares[labels[t]]) * likelihood[t][labels[t]]
            evidence += weight
            copied += weight * sum(coins)
            drawn[labels[0]] += weight
            for t in range(n):
                posterior[t, labels[t]] += weight
                if t > 0 and not coins[t - 1]:
                    drawn[labels[t]] += weight
    return posterior / evidence, copied / evidence, drawn / evidence, np.log(evidence)


def sticky_em(likelihood, shares, n_rounds):
    """EM with the counts of the enumeration: ρ with one copy and one draw more, π with one document more."""
    stay, current = 0.5, np.asarray(shares)
    n = len(likelihood)
    for _ in range(n_rounds):
        _, copied, drawn, _ = sticky_by_enumeration(likelihood, stay, current)
        stay = min((copied + 1) / (n - 1 + 2), 0.999)
        current = (drawn + shares) / (drawn + shares).sum()
    return sticky_by_enumeration(likelihood, stay, current)[0], stay, current


def neighbours_by_loops(likelihood, half_life, constant, n_rounds):
    """Every document's prior is the constant plus the weighted posteriors of all others."""
    n, n_classes = np.shape(likelihood)
    posterior = likelihood / likelihood.sum(axis=1, keepdims=True)
    for _ in range(n_rounds):
        fresh = np.empty_like(posterior)
        for t in range(n):
            prior = np.full(n_classes, constant)
            for s in range(n):
                if s != t:
                    prior = prior + 2.0 ** (-abs(s - t) / half_life) * posterior[s]
            fresh[t] = prior * likelihood[t]
        posterior = fresh / fresh.sum(axis=1, keepdims=True)
    return posterior
