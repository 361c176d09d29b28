"""EM for a mixture of unigrams over parts of the documents, on any engine: every step is a sum over documents."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, DeviceArray, Floats, Ints
from driftline.engines.contract import Engine
from driftline.inference.em import EM
from driftline.inference.lda_online import blocks
from driftline.inference.pairs import Pairs, document_lengths


class UnigramPart(NamedTuple):
    """Some documents as pairs, their known topics (−1 if none), and their weights."""

    indptr: np.ndarray
    words: np.ndarray
    counts: np.ndarray
    known: np.ndarray
    mass: np.ndarray


class Parted(NamedTuple):
    """The problem: all documents, the handles of the parts, sizes, the prior, and the engine that runs the steps."""

    X: Counts
    known: Ints
    mass: Floats
    parts: tuple[DeviceArray, ...]
    cuts: tuple[slice, ...]
    n_topics: int
    smoothing: float
    power: float
    n_tokens: float
    engine: Engine

    @classmethod
    def of(
        cls, X: Counts, known: Ints, mass: Floats, n_topics: int, smoothing: float, power: float, engine: Engine, n: int
    ) -> Parted:
        """Divide the documents into `n` parts, and let the engine keep them."""
        pairs, cuts = Pairs.of(X), tuple(blocks(X.shape[0], n))
        parts = [UnigramPart(*pairs.part(cut.start, cut.stop), known[cut], mass[cut]) for cut in cuts]
        n_tokens = max(float(document_lengths(pairs) @ mass), float(mass.sum()))
        return cls(X, known, mass, tuple(engine.keep(parts)), cuts, n_topics, smoothing, power, n_tokens, engine)


def first_mixture(problem: Parted, rng: np.random.Generator) -> DeviceArray:
    """Return the optimal parameters for random topics of the documents; known topics are certain."""
    counts, weights = np.zeros((problem.X.shape[1], problem.n_topics)), np.ones(problem.n_topics)
    for rows in problem.cuts:
        belief = rng.dirichlet(np.ones(problem.n_topics), rows.stop - rows.start)
        known = problem.known[rows]
        belief[known >= 0] = np.eye(problem.n_topics)[known[known >= 0]]
        belief *= problem.mass[rows, None]
        counts += problem.X[rows].T @ belief
        weights += belief.sum(axis=0)
    counts += problem.smoothing
    return current_kernels().unigrams.begin(counts / counts.sum(axis=0), weights / weights.sum())


def expectation(
    part: UnigramPart, logs: DeviceArray, weights: DeviceArray, power: float, n_tokens: float
) -> DeviceArray:
    """Do the E step for a part of the documents; return the sums."""
    return current_kernels().unigrams.expect(*part, logs, weights, power, n_tokens)


def expect(mixture: DeviceArray, problem: Parted, rng: np.random.Generator) -> tuple[DeviceArray, float]:
    """Return the sums over all documents, and the log posterior of the mixture."""
    kernels = current_kernels().unigrams
    shared = [problem.engine.share(array) for array in mixture]
    tasks = [(part, *shared, problem.power, problem.n_tokens) for part in problem.parts]
    sums = reduce(kernels.added, problem.engine.map(expectation, tasks))
    prior = kernels.log_prior(mixture, problem.n_topics, problem.smoothing)
    return sums, kernels.evidence_of(sums) + prior


def maximise(sums: DeviceArray, before: DeviceArray, problem: Parted) -> DeviceArray:
    """Return the optimal parameters for the sums."""
    return current_kernels().unigrams.maximise(sums, problem.n_topics, problem.smoothing)


def log_joint(X: Counts, components: Floats, weights: Floats, power: float, engine: Engine) -> Floats:
    """Return ln π_k + τ Σ c ln φ_kw of every document and topic; topics × words are given."""
    kernels, pairs = current_kernels().unigrams, Pairs.of(sp.csr_matrix(X))
    shared = [engine.share(array) for array in kernels.begin(components.T, weights)]
    starts = range(0, pairs.n_documents, kernels.DOCUMENTS)
    cuts = [pairs.part(start, min(start + kernels.DOCUMENTS, pairs.n_documents)) for start in starts]
    found = engine.map(kernels.joint, [(*cut, *shared, power, len(weights)) for cut in cuts])
    return np.concatenate([np.empty((0, len(weights))), *found])


PARTED = EM(first_mixture, expect, maximise)
"""EM over parts of the documents."""
