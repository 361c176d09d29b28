r"""Posteriors of classes from the order of a stream: three models, from the simplest to the most local.

All start from calibrated log-likelihoods :math:`\ln L_{tk}`, documents in time order × classes.

* New shares (Saerens, Latinne and Decaestecker): the classes are drawn independently from shares π, found by EM.
  Time is ignored.
* A sticky chain: :math:`p(y_t = k \mid y_{t-1} = j) = \rho\,\delta_{jk} + (1 - \rho)\,\pi_k` (1), with ρ and π found by
  EM. With ρ = 0 it is the model of new shares.
* Neighbours: the prior of a document is the average posterior of the documents around it, before and after, with
  weights :math:`2^{-|s - t| / h}`, plus a constant (2), iterated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.signal import lfilter
from scipy.special import softmax

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.inference.em import EM
from driftline.inference.run import run
from driftline.inference.stopping import LittleMoved, Stop
from driftline.intensity.tracking.document_evidence import unsorted

EM_ROUNDS = 100
"""Maximum number of EM iterations; ten are too few for ρ to decrease to zero if the order is not informative."""

SETTLED = 1e-4
"""Convergence threshold of EM on the shares and on ρ."""

MOST_STAY = 0.999
"""Upper bound of ρ, so that the chain can always leave a class."""

HALF_LIFE = 3.0
"""Half-life, in documents, of a neighbour's weight."""

NEIGHBOUR_CONSTANT = 0.5
"""Pseudo-documents per class in the neighbours' prior."""

NEIGHBOUR_ROUNDS = 8
"""Number of iterations of the neighbours' prior."""


class StickyChain(NamedTuple):
    """A fitted chain: p(class | stream) for every document, ρ and π of Eq. 1, and the log-evidence."""

    posterior: Floats
    stay: float
    shares: Floats
    log_evidence: float


def class_posterior(method: str, log_likelihood: Floats, log_shares: Floats, order: Ints) -> Floats:
    """Return p(class | document) by "chain", "neighbours", "shares", or "calibration" (the shares of training).

    `order` sorts the documents by time; only the first two depend on it.
    """
    if method == "chain":
        return np.asarray(unsorted(sticky_chain(log_likelihood[order], np.exp(log_shares)).posterior, order))
    if method == "neighbours":
        return np.asarray(unsorted(neighbour_posterior(log_likelihood[order]), order))
    if method == "shares":
        return new_shares(log_likelihood, np.exp(log_shares))
    return np.asarray(softmax(log_likelihood + log_shares, axis=1))


def new_shares(log_likelihood: Floats, shares: Floats) -> Floats:
    """Return p(class | document) with the shares of the classes re-estimated, starting from those of training.

    >>> new_shares(np.log([[0.9, 0.1], [0.8, 0.2], [0.6, 0.4]]), np.array([0.5, 0.5])).argmax(axis=1)
    array([0, 0, 0])
    """
    stop = Stop(EM_ROUNDS, LittleMoved(SETTLED))
    return _shared(log_likelihood, run(NEW_SHARES, (log_likelihood, shares), stop=stop).result)


def _shared(log_likelihood: Floats, shares: Floats) -> Floats:
    """Return p(class | document) under given shares."""
    return np.asarray(softmax(log_likelihood + np.log(np.maximum(shares, 1e-300)), axis=1))


NEW_SHARES: EM[tuple[Floats, Floats], Floats, Floats] = EM(
    begin=lambda given, rng: given[1],
    expect=lambda shares, given, rng: (_shared(given[0], shares), np.nan),
    maximise=lambda posterior, shares, given: posterior.mean(axis=0),
    change=lambda before, after: float(np.abs(after - before).max()),
)
"""EM for the shares of the classes, from log-likelihoods and the shares of training."""


def sticky_chain(log_likelihood: Floats, shares: Floats, max_rounds: int = EM_ROUNDS) -> StickyChain:
    """Fit the chain of Eq. 1 by EM and return its posterior; the training `shares` count as one document.

    >>> doubt = np.log([[0.9, 0.1], [0.9, 0.1], [0.4, 0.6], [0.9, 0.1], [0.1, 0.9], [0.1, 0.9]])
    >>> sticky_chain(doubt, np.array([0.5, 0.5])).posterior.argmax(axis=1)
    array([0, 0, 0, 0, 1, 1])
    """
    peaks = log_likelihood.max(axis=1, keepdims=True)
    problem = _Classes(np.exp(log_likelihood - peaks), shares)
    stay, current = run(STICKY_CHAIN, problem, stop=Stop(max_rounds, LittleMoved(SETTLED))).result
    posterior = np.empty_like(problem.likelihood)
    *_, evidence = current_kernels().sticky_chain.smooth_sticky(problem.likelihood, stay, current, posterior)
    return StickyChain(posterior, float(stay), current, float(evidence + peaks.sum()))


class _Classes(NamedTuple):
    """The problem: the likelihoods, scaled to a maximum of one per document, and the shares of training."""

    likelihood: Floats
    shares: Floats


class _Sticky(NamedTuple):
    """The parameters: ρ and π."""

    stay: float
    shares: Floats


def _expect(chain: _Sticky, given: _Classes, rng: np.random.Generator) -> tuple[tuple[float, Floats], float]:
    posterior = np.empty_like(given.likelihood)
    n_copied, n_drawn, evidence = current_kernels().sticky_chain.smooth_sticky(
        given.likelihood, chain.stay, chain.shares, posterior
    )
    return (n_copied, n_drawn), evidence


def _maximise(counted: tuple[float, Floats], before: _Sticky, given: _Classes) -> _Sticky:
    n_copied, n_drawn = counted
    # n - 1 transitions, and one of each kind as a prior
    stay = min((n_copied + 1) / (len(given.likelihood) + 1), MOST_STAY)
    return _Sticky(stay, (n_drawn + given.shares) / (n_drawn.sum() + 1))


def _change(before: _Sticky, after: _Sticky) -> float:
    return max(abs(after.stay - before.stay), float(np.abs(after.shares - before.shares).max()))


STICKY_CHAIN = EM(lambda given, rng: _Sticky(0.5, given.shares), _expect, _maximise, _change)
"""EM for ρ and π."""


def neighbour_posterior(log_likelihood: Floats, half_life: float = HALF_LIFE) -> Floats:
    """Return p(class | document and neighbours): Eq. 2, iterated from equal shares.

    >>> neighbour_posterior(np.log([[0.9, 0.1], [0.4, 0.6], [0.9, 0.1]])).argmax(axis=1)
    array([0, 0, 0])
    """
    keep = 0.5 ** (1 / half_life)
    posterior: Floats = softmax(log_likelihood, axis=1)
    for _ in range(NEIGHBOUR_ROUNDS):
        before = _decayed(posterior, keep)
        after = _decayed(posterior[::-1], keep)[::-1]
        posterior = softmax(log_likelihood + np.log(NEIGHBOUR_CONSTANT + before + after), axis=1)
    return posterior


def _decayed(posterior: Floats, keep: float) -> Floats:
    """Return for every document the sum over earlier ones, each weighted by `keep` to the power of its distance."""
    return np.asarray(lfilter([0.0, keep], [1.0, -keep], posterior, axis=0))
