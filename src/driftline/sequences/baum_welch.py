r"""Baum-Welch: EM for hidden Markov models of token sequences."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.inference.em import EM


class Parameters(NamedTuple):
    """π, A (states × states) and B (words × states)."""

    initial: Floats
    transition: Floats
    emission: Floats


class Sequences(NamedTuple):
    """The problem: tokens and the start of each sequence, the numbers of states and words, and the prior's counts."""

    tokens: Ints
    offsets: Ints
    n_states: int
    n_words: int
    smoothing: float


def begin(problem: Sequences, rng: np.random.Generator) -> Parameters:
    """Return a random start: word shares halfway between those of all documents and random ones."""
    n, words = problem.n_states, problem.tokens[problem.tokens >= 0]
    shares = (np.bincount(words, minlength=problem.n_words) + 1.0) / (len(words) + problem.n_words)
    emission = 0.5 * shares + 0.5 * rng.dirichlet(np.ones(problem.n_words), n)
    return Parameters(np.full(n, 1 / n), rng.dirichlet(np.ones(n), n), np.ascontiguousarray(emission.T))


def expect(parameters: Parameters, problem: Sequences, rng: np.random.Generator) -> tuple[Parameters, float]:
    """Return the expected counts and the log posterior."""
    counts, evidence = expected_counts(parameters, problem)
    prior = sum(float(np.log(part).sum()) for part in parameters)
    return counts, float(evidence.sum()) + problem.smoothing * prior


def maximise(counts: Parameters, before: Parameters, problem: Sequences) -> Parameters:
    """Return the counts, with those of the prior, as probabilities."""
    starts, moves, words = (part + problem.smoothing for part in counts)
    return Parameters(starts / starts.sum(), moves / moves.sum(axis=1, keepdims=True), words / words.sum(axis=0))


def expected_counts(
    parameters: Parameters, problem: Sequences, *, evidence_only: bool = False
) -> tuple[Parameters, Floats]:
    """Return the expected counts (none, with `evidence_only`), and the log-likelihood of every sequence."""
    n, evidence = problem.n_states, np.empty(len(problem.offsets) - 1)
    counts = Parameters(np.zeros(n), np.zeros((n, n)), np.zeros((0 if evidence_only else problem.n_words, n)))
    logs = np.log(parameters.emission)
    current_kernels().hidden_markov.expect_sequences(
        problem.tokens, problem.offsets, parameters.initial, parameters.transition, logs, evidence, *counts
    )
    return counts, evidence


def best_paths(parameters: Parameters, problem: Sequences) -> list[Ints]:
    """Return the most probable states of every sequence (Viterbi)."""
    paths = np.empty(len(problem.tokens), dtype=np.int64)
    current_kernels().hidden_markov.best_sequences(
        problem.tokens, problem.offsets, *(np.log(part) for part in parameters), paths
    )
    return [paths[begin:end] for begin, end in itertools.pairwise(problem.offsets)]


BAUM_WELCH = EM(begin, expect, maximise)
"""EM for (1) of `driftline.sequences.hidden_markov_model.HiddenMarkovModel`."""
