"""Posterior regularisation of a chain by writing down the probability of every sequence of states."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
from scipy.optimize import LinearConstraint, minimize


def all_sequences(logs, initial, transition):
    """Return all sequences of states, and log p(states, observations) of each."""
    n, n_states = logs.shape
    sequences = np.array(list(itertools.product(range(n_states), repeat=n)))
    scores = np.log(initial)[sequences[:, 0]] + logs[np.arange(n), sequences].sum(axis=1)
    scores += np.log(transition)[sequences[:, :-1], sequences[:, 1:]].sum(axis=1)
    return sequences, scores


def nearest(sequences, scores, bounds):
    """Return the distribution over sequences with the smallest divergence from the posterior, and the evidence bound.

    `bounds` has rows (states, low, high) on the expected number of steps.
    """
    p = np.exp(scores - np.logaddexp.reduce(scores))
    counts = np.array([np.isin(sequences, np.flatnonzero(states)).sum(axis=1) for states, _, _ in bounds])
    limits = [LinearConstraint(row, low, high) for row, (_, low, high) in zip(counts, bounds)]
    whole = LinearConstraint(np.ones((1, len(p))), 1.0, 1.0)

    def divergence(q):
        q = np.maximum(q, 1e-300)
        return float((q * np.log(q / p)).sum()), np.log(q / p) + 1.0

    with warnings.catch_warnings():
        # Older versions of SciPy step outside the bounds and return
        warnings.filterwarnings("ignore", "Values in x were outside bounds", RuntimeWarning)
        done = minimize(
            divergence,
            p,
            jac=True,
            bounds=[(1e-12, 1.0)] * len(p),
            constraints=[*limits, whole],
            method="SLSQP",
            options={"maxiter": 2000, "ftol": 1e-13},
        )
    return done.x, float(np.logaddexp.reduce(scores) - done.fun)


def step_probabilities(sequences, q, n_states):
    """Return the probability of every state at every step."""
    return np.array([[q[sequences[:, t] == k].sum() for k in range(n_states)] for t in range(sequences.shape[1])])
