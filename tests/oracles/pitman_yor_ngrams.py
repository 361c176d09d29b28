"""N-gram models by dictionaries, and the seats of a few tokens by writing down every partition."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict

import numpy as np

from tests.oracles.partitions import all_partitions


def plain_grams(documents, order):
    """Return how often the longest n-gram of each token occurs, as tuples of words."""
    return Counter(
        tuple(document[max(i - order + 1, 0) : i + 1]) for document in documents for i in range(len(document))
    )


def kneser_ney_counts(documents, order):
    """Return the counts of every n-gram: tokens of the longest, different words before the shorter ones."""
    counts = Counter(plain_grams(documents, order))
    for n in range(order, 1, -1):
        for gram in [gram for gram in counts if len(gram) == n]:
            counts[gram[1:]] += 1
    return counts


def kneser_ney(counts, word, context, discounts, n_words):
    """Return p(word | context); ``discounts[m]`` has what is taken from counts of 1, 2 and more after m words."""
    if context is None:
        return 1 / n_words
    followers = {gram: c for gram, c in counts.items() if gram[:-1] == context}
    below = kneser_ney(counts, word, context[1:] if context else None, discounts, n_words)
    if not followers:
        return below
    taken = {gram: discounts[len(context)][min(c, 3) - 1] for gram, c in followers.items()}
    total = sum(followers.values())
    own = followers.get((*context, word), 0) - taken.get((*context, word), 0.0)
    return own / total + sum(taken.values()) / total * below


def rising(start, n, step):
    """Return start (start + step) … with n factors."""
    return float(np.prod([start + i * step for i in range(n)]))


def tables_posterior(documents, order, discounts, concentrations, n_words):
    """Return the probability of the sizes of tables by n-gram, given the tokens, by enumeration of all partitions.

    The joint probability of a seating is, over restaurants, (θ + d)(θ + 2d) … [one per table after the first] / (θ + 1)
    (θ + 2) … [one per customer after the first], times (1 - d)(2 - d) … for every table, times 1/V for every table of
    the empty context.
    """
    found = defaultdict(float)

    def seat(level, customers, weight, chosen):
        """Enumerate the seats of n-grams of one length; their tables are customers of the next shorter ones."""
        cells = sorted(gram for gram in customers if len(gram) == level + 1)
        d, theta = discounts[level], concentrations[level]
        for partitions in itertools.product(*(all_partitions(customers[gram]) for gram in cells)):
            tables, seats, below, w = Counter(), Counter(), Counter(customers), weight
            picked = dict(chosen)
            for gram, labels in zip(cells, partitions):
                sizes = Counter(labels)
                picked[gram] = tuple(sorted(sizes.values()))
                tables[gram[:-1]] += len(sizes)
                seats[gram[:-1]] += len(labels)
                w *= np.prod([rising(1 - d, size - 1, 1.0) for size in sizes.values()])
                if level:
                    below[gram[1:]] += len(sizes)
            for context, n in seats.items():
                w *= rising(theta + d, tables[context] - 1, d) / rising(theta + 1, n - 1, 1.0)
            if level:
                seat(level - 1, below, w, picked)
            else:
                found[tuple(sorted(picked.items()))] += w * n_words ** -float(tables[()])

    seat(order - 1, plain_grams(documents, order), 1.0, {})
    total = sum(found.values())
    return {key: value / total for key, value in found.items()}


def drawn_documents(rng, n, length, n_words, discounts, concentrations):
    """Draw documents from the model, token by token, with plain dictionaries."""
    seats = {}

    def draw(context):
        if context is None:
            return int(rng.integers(n_words))
        tables = seats.setdefault(context, [])
        d, theta = discounts[len(context)], concentrations[len(context)]
        weights = np.array([size - d for _, size in tables] + [theta + d * len(tables)])
        k = int(rng.choice(len(weights), p=weights / weights.sum()))
        if k == len(tables):
            tables.append([draw(context[1:] if context else None), 0])
        tables[k][1] += 1
        return tables[k][0]

    documents = []
    for _ in range(n):
        document = []
        for i in range(length):
            document.append(draw(tuple(document[max(i - len(discounts) + 1, 0) :])))
        documents.append(document)
    return documents
