r"""Textbook variational EM for LDA: slow, in double precision, with a bound that never decreases.

:math:`q(\phi_k) = \mathrm{Dir}(\lambda_k)` with :math:`\lambda_{kw} = \beta + \sum_d c_{dw} r_{dwk}`; the E step is in
the kernels' `lda_vb`. Documents are divided into parts whose statistics are summed in fixed order, on any worker.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats
from driftline.engines.contract import Engine
from driftline.inference.em import EM
from driftline.inference.run import run
from driftline.inference.stopping import SmallChange, Stop
from driftline.inference.variational import divergence, expected_log, learn_concentration, learn_concentrations
from driftline.topics.document_completion import Pairs
from driftline.topics.priors import NONE_LEARNED, Learned

PASSES = 100
DOCUMENT_TOLERANCE = 1e-4


class VariationalTopics(NamedTuple):
    """λ (words × topics), α, and β (one number, or words × topics)."""

    parameters: Floats
    document_prior: Floats
    word_prior: Floats


class FittedTopics(NamedTuple):
    """Result of variational EM, and the bound before every epoch."""

    topics: VariationalTopics
    bounds: Floats


class PartAnswer(NamedTuple):
    """Statistics of one part of the documents for the topics."""

    statistics: Floats
    gamma: Floats
    bound: float


def expectation(part: Pairs, b: Floats, document_prior: Floats) -> PartAnswer:
    """Do the E step for one part of the documents."""
    gamma = np.empty((part.n_documents, len(document_prior)))
    statistics = np.zeros_like(b)
    counts = part.counts.astype(np.float64)
    bound = current_kernels().lda_vb.expect(
        part.indptr, part.words, counts, b, document_prior, PASSES, DOCUMENT_TOLERANCE, gamma, statistics
    )
    return PartAnswer(statistics, gamma, bound - divergence(gamma, document_prior))


def fit_vb(
    parts: Sequence[Pairs],
    start: Floats,
    document_prior: Floats,
    word_prior: Floats,
    engine: Engine,
    *,
    max_epochs: int,
    tolerance: float,
    learned: Learned = NONE_LEARNED,
    verbose: bool | int = False,
) -> FittedTopics:
    """Run variational EM from λ = `start` (words × topics); `word_prior` is β, words × topics or one number.

    It stops when the bound increases by less than the share `tolerance` of its size.
    """
    lam, eta = np.array(start, dtype=np.float64), np.asarray(word_prior, dtype=np.float64)
    problem = _Parts(tuple(engine.keep(parts)), VariationalTopics(lam, document_prior, eta), engine)
    stop = Stop(max_epochs, SmallChange(tolerance))
    done = run(vb_method(learned), problem, stop=stop, progress="variational EM", verbose=verbose)
    return FittedTopics(done.result, done.objective[0])


def vb_method(learned: Learned) -> EM[_Parts, VariationalTopics, list[PartAnswer]]:
    """Return variational EM whose M step also learns these priors."""
    return EM(lambda problem, rng: problem.start, _expect, partial(_maximise, learned))


class _Parts(NamedTuple):
    """Handles of the parts of the documents, and the initial parameters."""

    parts: tuple[Any, ...]
    start: VariationalTopics
    engine: Any


def _expect(topics: VariationalTopics, problem: _Parts, rng: np.random.Generator) -> tuple[list[PartAnswer], float]:
    lam = topics.parameters
    b = problem.engine.share(np.exp(expected_log(lam.T)).T.copy())
    answers = problem.engine.map(expectation, [(part, b, topics.document_prior) for part in problem.parts])
    prior = np.broadcast_to(topics.word_prior, lam.shape)
    return answers, sum(answer.bound for answer in answers) - divergence(lam.T, prior.T)


def _maximise(
    learned: Learned, answers: list[PartAnswer], topics: VariationalTopics, problem: _Parts
) -> VariationalTopics:
    alpha, eta = topics.document_prior, topics.word_prior
    statistics = sum((answer.statistics for answer in answers[1:]), answers[0].statistics)
    if learned.document:
        gamma = np.concatenate([answer.gamma for answer in answers])
        alpha = learn_concentrations(alpha, gamma - alpha)
    if learned.word:
        eta = eta + (learn_concentration(float(eta.min()), statistics.T) - eta.min())
    return VariationalTopics(statistics + eta, alpha, eta)
