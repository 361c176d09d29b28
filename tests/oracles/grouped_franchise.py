"""The franchise of several groups of a few tokens: every choice of every token, one after the other."""

from __future__ import annotations

import numpy as np

from tests.oracles.franchise import named, words_given


class Restaurants:
    """The seats so far: tables of a document, customers of dishes in groups and at the base; earlier ones count."""

    def __init__(self, group_carried, carried):
        self.seats = {}
        self.groups = [list(row) for row in group_carried]
        self.base = list(carried)

    def copy(self):
        other = Restaurants(self.groups, self.base)
        other.seats = {document: [table[:] for table in tables] for document, tables in self.seats.items()}
        return other


def choices(state, document, group, alpha, gamma_group, gamma):
    """Yield probability, topic and state after each choice of a token: table, then dish of the group, then of all."""
    tables = state.seats.get(document, [])
    total = sum(size for size, _ in tables) + alpha
    for place, (size, dish) in enumerate(tables):
        after = state.copy()
        after.seats[document][place][0] += 1
        yield size / total, dish, after
    served = sum(state.groups[group]) + gamma_group
    for dish, n in enumerate(state.groups[group]):
        if n > 0:
            yield alpha / total * n / served, dish, _seated(state, document, group, dish, from_base=False)
    known = sum(state.base) + gamma
    for dish, n in enumerate([*state.base, gamma]):
        if n > 0:
            chance = alpha / total * gamma_group / served * n / known
            yield chance, dish, _seated(state, document, group, dish, from_base=True)


def _seated(state, document, group, dish, *, from_base):
    after = state.copy()
    if dish == len(after.base):
        after.base.append(0.0)
        for row in after.groups:
            row.append(0.0)
    after.seats.setdefault(document, []).append([1, dish])
    after.groups[group][dish] += 1.0
    if from_base:
        after.base[dish] += 1.0
    return after


def grouped_posterior(
    documents, groups, n_words, alpha, gamma_group, gamma, eta, group_carried, carried, carried_words
):
    """Return p(topics of all tokens | words); earlier topics keep their numbers, new ones follow as they appear."""
    tokens = [(d, groups[d], word) for d, words in enumerate(documents) for word in words]
    paths = [(1.0, (), Restaurants(group_carried, carried))]
    for document, group, _ in tokens:
        paths = [
            (p * chance, (*topics, dish), after)
            for p, topics, state in paths
            for chance, dish, after in choices(state, document, group, alpha, gamma_group, gamma)
        ]
    found = {}
    for p, topics, _ in paths:
        key = named(topics, len(carried))
        found[key] = found.get(key, 0.0) + p
    words = [word for _, _, word in tokens]
    for key in found:
        found[key] *= np.exp(words_given(words, list(key), n_words, eta, carried_words))
    total = sum(found.values())
    return {key: value / total for key, value in found.items()}
