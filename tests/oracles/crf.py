"""Conditional random fields by writing down every tag sequence, and by iterative scaling."""

from __future__ import annotations

import itertools

import numpy as np


def scores_of(attributes, weights, transition, tags):
    """Return the score of one tag sequence; `weights` is a dense table, attributes × tags (0 where there is none)."""
    total = sum(weights[a, tag] for row, tag in zip(attributes, tags) for a in row if a >= 0)
    return total + sum(transition[pair] for pair in itertools.pairwise(tags))


def distribution(attributes, weights, transition, allowed=None, starts=None):
    """Return all possible tag sequences of a sentence, and the log of exp(score) of each."""
    n_tags = len(transition)
    sequences = []
    for tags in itertools.product(range(n_tags), repeat=len(attributes)):
        possible = starts is None or not len(tags) or starts[tags[0]]
        if possible and (allowed is None or all(allowed[pair] for pair in itertools.pairwise(tags))):
            sequences.append(tags)
    return sequences, np.array([scores_of(attributes, weights, transition, tags) for tags in sequences])


def log_partition(*arguments, **keywords):
    """Return log Z."""
    return np.logaddexp.reduce(distribution(*arguments, **keywords)[1])


def expected_features(attributes, weights, transition):
    """Return expected counts of (attribute, tag) pairs and of transitions under the model."""
    sequences, logs = distribution(attributes, weights, transition)
    pairs, moves = np.zeros_like(weights), np.zeros_like(transition)
    for tags, share in zip(sequences, np.exp(logs - np.logaddexp.reduce(logs))):
        add_features(attributes, tags, share, pairs, moves)
    return pairs, moves


def add_features(attributes, tags, share, pairs, moves):
    for row, tag in zip(attributes, tags):
        for a in row:
            if a >= 0:
                pairs[a, tag] += share
    for pair in itertools.pairwise(tags):
        moves[pair] += share


def iterative_scaling(sentences, n_attributes, n_tags, n_rounds):
    """Return the log-likelihood after every round of iterative scaling, and the weights.

    Every round adds (1 / C) log(observed / expected) to each weight, where C is the largest number of features of a
    sentence (generalised iterative scaling, whose slack feature is constant here because all sentences are equally
    long). It maximises the likelihood without a penalty, over the features that occur.
    """
    weights, transition = np.zeros((n_attributes, n_tags)), np.zeros((n_tags, n_tags))
    observed, moved = np.zeros_like(weights), np.zeros_like(transition)
    for attributes, tags in sentences:
        add_features(attributes, tags, 1.0, observed, moved)
    largest = max(sum(a >= 0 for row in attributes for a in row) + len(attributes) - 1 for attributes, _ in sentences)
    path = []
    for _ in range(n_rounds):
        expected, expected_moves, likelihood = np.zeros_like(weights), np.zeros_like(transition), 0.0
        for attributes, tags in sentences:
            pairs, moves = expected_features(attributes, weights, transition)
            expected += pairs
            expected_moves += moves
            likelihood += scores_of(attributes, weights, transition, tags) - log_partition(
                attributes, weights, transition
            )
        path.append(likelihood)
        with np.errstate(divide="ignore", invalid="ignore"):
            weights += np.where(observed > 0, np.log(observed / expected), 0.0) / largest
            transition += np.where(moved > 0, np.log(moved / expected_moves), 0.0) / largest
    return np.array(path), weights, transition
