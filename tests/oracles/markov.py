"""Hidden Markov chains by writing down every sequence of states."""

from __future__ import annotations

import itertools

import numpy as np


def joint_matrix(matrices):
    """Return the transition matrix of the joint state of independent factors."""
    joint = np.ones((1, 1))
    for matrix in matrices:
        joint = np.kron(joint, matrix)
    return joint


def enumerate_paths(initial, matrices, log_likelihood):
    """Return every sequence of states and the log of its joint probability; `matrices[t]` leads into step t."""
    n, size = np.shape(log_likelihood)
    with np.errstate(divide="ignore"):
        first, moves = np.log(initial), [np.log(matrix) for matrix in matrices]
    paths = np.array(list(itertools.product(range(size), repeat=n)))
    logs = first[paths[:, 0]] + log_likelihood[0][paths[:, 0]]
    for t in range(1, n):
        logs = logs + moves[t][paths[:, t - 1], paths[:, t]] + log_likelihood[t][paths[:, t]]
    return paths, logs


def smoothed_by_enumeration(initial, matrices, log_likelihood):
    """Return log-evidence, p(state | everything), expected moves (states × states), and the best log-probability."""
    n, size = np.shape(log_likelihood)
    paths, logs = enumerate_paths(initial, matrices, log_likelihood)
    evidence = np.logaddexp.reduce(logs)
    weights = np.exp(logs - evidence)
    probabilities = np.array([np.bincount(paths[:, t], weights=weights, minlength=size) for t in range(n)])
    moves = np.zeros((size, size))
    for t in range(1, n):
        np.add.at(moves, (paths[:, t - 1], paths[:, t]), weights)
    return evidence, probabilities, moves, logs.max()


def smallest_message(initial, matrices, log_likelihood, probabilities):
    """Return the smallest log probability, predicted or backward, of a state that the posterior does not exclude."""
    smallest, n = 0.0, len(log_likelihood)
    with np.errstate(divide="ignore"):
        ahead, moves = np.log(initial), [np.log(matrix) for matrix in matrices]
    behind = np.zeros(len(ahead))
    for t in range(n):
        smallest = min(smallest, (ahead - np.logaddexp.reduce(ahead))[probabilities[t] > 1e-12].min())
        if t + 1 < n:
            ahead = np.logaddexp.reduce((ahead + log_likelihood[t])[:, None] + moves[t + 1], axis=0)
    for t in reversed(range(n)):
        smallest = min(smallest, (behind - np.logaddexp.reduce(behind))[probabilities[t] > 1e-12].min())
        behind = np.logaddexp.reduce(moves[t] + (log_likelihood[t] + behind)[None], axis=1)
    return smallest


def log_likelihood_of_path(initial, matrices, log_likelihood, path):
    """Return the log joint probability of one sequence."""
    with np.errstate(divide="ignore"):
        total = np.log(initial[path[0]]) + log_likelihood[0][path[0]]
        for t in range(1, len(path)):
            total += np.log(matrices[t][path[t - 1], path[t]]) + log_likelihood[t][path[t]]
    return total
