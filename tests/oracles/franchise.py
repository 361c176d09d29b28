"""The Chinese restaurant franchise of a few tokens, by writing down every seating and every menu."""

from __future__ import annotations

import itertools

import numpy as np

from tests.oracles.partitions import all_partitions, log_partition_by_seating, log_words, numbered


def token_posterior(documents, n_words, document_concentration, concentration, eta, carried=(), carried_words=None):
    """Return p(partition of all tokens into topics | words) as a dictionary from labels, numbered as they appear.

    `carried` are the tables of earlier topics; a token's label is then ("old", k) before it is numbered, so that
    partitions that use different earlier topics are told apart by a tuple of labels as they are.
    """
    words = [word for document in documents for word in document]
    seatings = [all_partitions(len(document)) for document in documents]
    found = {}
    for seating in itertools.product(*seatings):
        log_seats = sum(log_partition_by_seating(labels, document_concentration) for labels in seating)
        owners, n_tables = [], 0
        for labels in seating:
            owners.extend(label + n_tables for label in labels)
            n_tables += max(labels) + 1
        for menu, log_menu in menus(n_tables, concentration, list(carried)):
            topics = [menu[table] for table in owners]
            log_p = log_seats + log_menu + words_given(words, topics, n_words, eta, carried_words)
            key = named(topics, len(carried))
            found[key] = np.logaddexp(found.get(key, -np.inf), log_p)
    logs = np.array([*found.values()])
    total = np.logaddexp.reduce(logs)
    return {key: float(np.exp(value - total)) for key, value in found.items()}


def menus(n_tables, concentration, carried):
    """Yield the dishes of tables in order, earlier topics being 0 … and new ones following, with log p."""
    states = [((), 0.0, list(carried))]
    for _ in range(n_tables):
        longer = []
        for dishes, log_p, weights in states:
            total = sum(weights) + concentration
            for k, weight in enumerate([*weights, concentration]):
                grown = [*weights] if k < len(weights) else [*weights, 0.0]
                grown[k] += 1.0
                longer.append(((*dishes, k), log_p + np.log(weight / total), grown))
        states = longer
    for dishes, log_p, _ in states:
        yield dishes, log_p


def words_given(words, topics, n_words, eta, carried_words=None):
    """Return ln p(words | topics of tokens); earlier topics begin with counts."""
    total = 0.0
    for k in set(topics):
        counts = np.bincount([word for word, topic in zip(words, topics) if topic == k], minlength=n_words)
        if carried_words is not None and k < len(carried_words):
            total += log_words([counts, carried_words[k]], eta) - log_words([carried_words[k]], eta)
        else:
            total += log_words([counts], eta)
    return total


def named(topics, n_carried=0):
    """Return labels in which earlier topics keep their numbers and new ones are numbered as they appear."""
    if not n_carried:
        return numbered(topics)
    order = {}
    return tuple(k if k < n_carried else n_carried + order.setdefault(k, len(order)) for k in topics)
