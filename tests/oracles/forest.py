"""A Dirichlet forest, written down as a tree, and the posterior of a small corpus by enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np


def tree_of(words, together, sets, chosen, beta, eta, said):
    """Return nested (weight, children) of the root; a leaf is (weight, word).

    `sets` has the largest sets of vertices of the only component, a vertex being a tuple of words, and `chosen` says
    which of them the topic has.
    """

    def vertex(words_of, weight):
        if len(words_of) == 1:
            return weight, words_of[0]
        total = sum(said[w] for w in words_of)
        return weight, [(eta * said[w] / total, w) for w in words_of]

    inside = sets[chosen] if sets else ()
    component = sorted({v for one in sets for v in one})
    children = []
    if component:
        below = [(eta * sum(map(len, inside)), [vertex(v, beta * len(v)) for v in inside])]
        below += [vertex(v, beta * len(v)) for v in component if v not in inside]
        children.append((beta * sum(map(len, component)), below))
    placed = {w for v in component for w in v}
    for group in together:
        if not placed & set(group):
            children.append(vertex(group, beta * len(group)))
            placed |= set(group)
    children += [(beta, w) for w in words if w not in placed]
    return children


def log_evidence(children, counts):
    """Return ln ∫ Π φ_w^n_w dφ under a tree, and the number of tokens below it."""
    value, below = 0.0, []
    for weight, child in children:
        if isinstance(child, list):
            inner, n = log_evidence(child, counts)
            value += inner
        else:
            n = counts.get(child, 0)
        below.append((weight, n))
    total, n_all = sum(weight for weight, _ in below), sum(n for _, n in below)
    value += math.lgamma(total) - math.lgamma(total + n_all)
    value += sum(math.lgamma(weight + n) - math.lgamma(weight) for weight, n in below)
    return value, n_all


def posterior(tokens, n_topics, alpha, trees, priors):
    """Return {(topics of tokens, choices of topics): probability}; `tokens` are (document, word)."""
    found, n_documents = {}, 1 + max(d for d, _ in tokens)
    for z in itertools.product(range(n_topics), repeat=len(tokens)):
        for choices in itertools.product(range(len(trees)), repeat=n_topics):
            value = sum(math.log(priors[q]) for q in choices)
            for k in range(n_topics):
                counts = {}
                for (_, w), topic in zip(tokens, z):
                    if topic == k:
                        counts[w] = counts.get(w, 0) + 1
                value += log_evidence(trees[choices[k]], counts)[0]
            for d in range(n_documents):
                for k in range(n_topics):
                    n = sum(1 for (e, _), topic in zip(tokens, z) if e == d and topic == k)
                    value += math.lgamma(alpha + n)
            found[z, choices] = value
    top = max(found.values())
    weights = {key: math.exp(value - top) for key, value in found.items()}
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()}


def share_of(word, counts, tree):
    """Return the predictive share of a word: the ratio of evidences with and without one more token."""
    more = {**counts, word: counts.get(word, 0) + 1}
    return float(np.exp(log_evidence(tree, more)[0] - log_evidence(tree, counts)[0]))
