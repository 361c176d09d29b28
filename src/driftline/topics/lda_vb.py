r"""Textbook variational EM for LDA: slow, in double precision, with a bound that never falls.

:math:`q(\phi_k) = \mathrm{Dir}(\lambda_k)` with :math:`\lambda_{kw} = \beta + \sum_d c_{dw} r_{dwk}`; the E step is in
`driftline.compute.cpu.lda_vb`. Documents are cut into parts whose statistics are summed in fixed order, wherever the
parts are worked on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from driftline.compute.cpu import lda_vb as compiled
from driftline.core.arrays import Floats
from driftline.core.progress import track
from driftline.engines.threads import Threads
from driftline.inference.variational import divergence, expected_log, learn_concentration, learn_concentrations
from driftline.inference.variational_completion import Pairs

PASSES = 100
DOCUMENT_TOLERANCE = 1e-4


class VariationalTopics(NamedTuple):
    """What variational EM found: λ (words × topics), α, β, and the bound after every epoch."""

    parameters: Floats
    document_prior: Floats
    word_prior: float
    bounds: Floats


class PartAnswer(NamedTuple):
    """What one part of the documents says to the topics it was sent."""

    statistics: Floats
    gamma: Floats
    bound: float


def expectation(part: Pairs, b: Floats, document_prior: Floats) -> PartAnswer:
    """Do the E step for one part of the documents."""
    gamma = np.empty((part.n_documents, len(document_prior)))
    statistics = np.zeros_like(b)
    counts = part.counts.astype(np.float64)
    bound = compiled.expect(
        part.indptr, part.words, counts, b, document_prior, PASSES, DOCUMENT_TOLERANCE, gamma, statistics
    )
    return PartAnswer(statistics, gamma, bound - divergence(gamma, document_prior))


def fit_vb(
    parts: Sequence[Pairs],
    start: Floats,
    document_prior: Floats,
    word_prior: Floats,
    engine: Threads,
    *,
    max_epochs: int,
    tolerance: float,
    learn_document_prior: bool = False,
    learn_word_prior: bool = False,
    verbose: Any = False,
) -> VariationalTopics:
    """Run variational EM from λ = `start` (words × topics); `word_prior` is β, words × topics or one number.

    It ends when the bound rises by less than the share `tolerance` of its size.
    """
    lam, alpha, eta = np.array(start, dtype=np.float64), document_prior, np.asarray(word_prior, dtype=np.float64)
    bounds: list[float] = []
    kept = engine.keep(parts)
    for _ in track(range(max_epochs), "variational EM", total=max_epochs, verbose=verbose):
        b = engine.share(np.exp(expected_log(lam.T)).T.copy())
        answers = engine.map(expectation, [(part, b, alpha) for part in kept])
        prior = np.broadcast_to(eta, lam.shape)
        bounds.append(sum(answer.bound for answer in answers) - divergence(lam.T, prior.T))
        statistics = sum(answer.statistics for answer in answers)
        if learn_document_prior:
            gamma = np.concatenate([answer.gamma for answer in answers])
            alpha = learn_concentrations(alpha, gamma - alpha)
        if learn_word_prior:
            eta = eta + (learn_concentration(float(eta.min()), statistics.T) - eta.min())
        lam = statistics + eta
        if len(bounds) > 1 and abs(bounds[-1] - bounds[-2]) <= tolerance * abs(bounds[-1]):
            break
    return VariationalTopics(lam, alpha, float(eta.min()), np.array(bounds))
