"""Simulated documents of two groups whose topic shares are known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

N_TOPICS, N_WORDS = 10, 2000


class TwoGroups(NamedTuple):
    """Counts, the group of each document (0, 1), the topics, the true shares of both groups, and days, if any."""

    counts: sp.csr_array
    group: np.ndarray
    topics: np.ndarray
    shares: np.ndarray
    day: np.ndarray | None = None


def two_groups(n_words: int, n_documents: int, seed: int, differ: bool = True) -> TwoGroups:
    """Draw documents; half of the words of every topic are common to all topics."""
    rng = np.random.default_rng(seed)
    topics = _topics(rng)
    first = rng.dirichlet(np.full(N_TOPICS, 3.0))
    shares = np.array([first, rng.dirichlet(np.full(N_TOPICS, 3.0)) if differ else first])
    group = np.arange(n_documents) % 2
    by_document = np.array([rng.dirichlet(3 * shares[g]) for g in group])
    lengths = rng.poisson(n_words, n_documents) + 1
    counts = [rng.multinomial(n, row) for n, row in zip(lengths, by_document @ topics)]
    return TwoGroups(sp.csr_array(np.array(counts, dtype=float)), group, topics, shares)


def days_of_groups(n_words: int, n_days: tuple[int, int], per_day: int, seed: int, differ: bool = False) -> TwoGroups:
    """Draw documents of whole days; a day's documents scatter around its own shares, and days differ in length."""
    rng = np.random.default_rng(seed)
    topics = _topics(rng)
    first = rng.dirichlet(np.full(N_TOPICS, 3.0))
    shares = np.array([first, rng.dirichlet(np.full(N_TOPICS, 3.0)) if differ else first])
    group = np.repeat([0, 1], n_days)
    by_day = np.array([rng.dirichlet(20 * shares[g]) for g in group])
    day = np.repeat(np.arange(len(group)), 1 + rng.poisson(per_day * rng.lognormal(-0.18, 0.6, len(group))))
    by_document = np.array([rng.dirichlet(3 * row) for row in by_day[day]])
    lengths = rng.poisson(n_words, len(day)) + 1
    counts = [rng.multinomial(n, row) for n, row in zip(lengths, by_document @ topics)]
    return TwoGroups(sp.csr_array(np.array(counts, dtype=float)), group[day], topics, shares, day)


def _topics(rng: np.random.Generator) -> np.ndarray:
    background = rng.dirichlet(np.full(N_WORDS, 0.3))
    found: np.ndarray = 0.5 * rng.dirichlet(np.full(N_WORDS, 0.05), N_TOPICS) + 0.5 * background
    return found
