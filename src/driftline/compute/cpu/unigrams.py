r"""EM for a mixture of unigrams: every document has one topic, which may be known.

With :math:`\tau` the power of the likelihood, :math:`m_d` the weight of a document and :math:`s` the smoothing,

.. math::
    \ell_{dk} = \ln \pi_k + \tau \sum_w c_{dw} \ln \phi_{wk}, \qquad
    r_{dk} = e^{\ell_{dk}} / \sum_j e^{\ell_{dj}}, \qquad (1)

    n_{wk} = \sum_d m_d c_{dw} r_{dk}, \quad N_k = \sum_d m_d r_{dk}, \qquad (2)

    \phi_{wk} \propto n_{wk} + s, \quad \pi_k \propto N_k + 1. \qquad (3)

The only possible topic of a document with a label is its label.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute.jit import njit
from driftline.core.arrays import DeviceArray

DOCUMENTS = 2**12
"""Number of documents per call of `joint`."""
LEAST = 1e-18
"""Largest posterior that is omitted from the sums over words: it is below the rounding error of the smoothing."""


class Mixture(NamedTuple):
    """ln φ, words × topics, and ln π."""

    logs: DeviceArray
    weights: DeviceArray


class Sums(NamedTuple):
    """The sums (2) of words × topics and of topics, and the log evidence Σ m ln Σ e^ℓ."""

    words: DeviceArray
    topics: DeviceArray
    evidence: float


def begin(shares: DeviceArray, weights: DeviceArray) -> Mixture:
    """Return a mixture with these φ, words × topics, and π."""
    return Mixture(np.log(np.ascontiguousarray(shares)), np.log(weights))


def expect(indptr, words, counts, known, mass, logs, weights, power: float, n_tokens: float) -> Sums:
    """Do the E step for some documents: return the sums (2). `known` is −1 if there is no label."""
    n_words, n_topics = np.zeros_like(logs), np.zeros_like(weights)
    evidence = add_documents(indptr, words, counts, known, mass, logs, weights, power, n_words, n_topics)
    return Sums(n_words, n_topics, evidence)


def added(first: Sums, second: Sums) -> Sums:
    """Return the sums of the documents of both."""
    return Sums(first.words + second.words, first.topics + second.topics, first.evidence + second.evidence)


def evidence_of(sums: Sums) -> float:
    """Return the log evidence of all documents."""
    return sums.evidence


def maximise(sums: Sums, n_topics: int, smoothing: float) -> Mixture:
    """Do the M step (3)."""
    counts, weights = sums.words + smoothing, sums.topics + 1.0
    return Mixture(np.log(counts / counts.sum(axis=0)), np.log(weights / weights.sum()))


def log_prior(mixture: Mixture, n_topics: int, smoothing: float) -> float:
    """Return the logarithm of the prior, s Σ ln φ + Σ ln π."""
    return float(smoothing * mixture.logs.sum() + mixture.weights.sum())


def parameters_of(mixture: Mixture, n_topics: int) -> tuple[DeviceArray, DeviceArray]:
    """Return φ, words × topics, and π."""
    return np.exp(mixture.logs), np.exp(mixture.weights)


@njit(cache=True, nogil=True)
def joint(indptr, words, counts, logs, weights, power, n_topics):
    """Return ℓ of every document and topic (1)."""
    found = np.empty((len(indptr) - 1, len(weights)))
    for d in range(len(indptr) - 1):
        _score(indptr[d], indptr[d + 1], words, counts, logs, weights, power, found[d])
    return found


@njit(cache=True, nogil=True)
def _score(start, end, words, counts, logs, weights, power, score):
    """Write ℓ of one document (1)."""
    score[:] = 0.0
    for p in range(start, end):
        row = logs[words[p]]
        for k in range(len(score)):
            score[k] += counts[p] * row[k]
    for k in range(len(score)):
        score[k] = power * score[k] + weights[k]


@njit(cache=True, nogil=True)
def add_documents(indptr, words, counts, known, mass, logs, weights, power, n_words, n_topics):
    """Add the sums (2) of documents to `n_words` and `n_topics`; return their log evidence."""
    K = len(weights)
    r, kept, evidence = np.empty(K), np.empty(K, dtype=np.int64), 0.0
    for d in range(len(indptr) - 1):
        _score(indptr[d], indptr[d + 1], words, counts, logs, weights, power, r)
        if known[d] >= 0:
            score = r[known[d]]
            r[:] = 0.0
            r[known[d]] = 1.0
        else:
            largest, total = r.max(), 0.0
            for k in range(K):
                r[k] = np.exp(r[k] - largest)
                total += r[k]
            r /= total
            score = largest + np.log(total)
        evidence += mass[d] * score
        n_kept = 0
        for k in range(K):
            if r[k] > LEAST:
                kept[n_kept] = k
                n_kept += 1
            r[k] *= mass[d]
            n_topics[k] += r[k]
        for p in range(indptr[d], indptr[d + 1]):
            row = n_words[words[p]]
            for i in range(n_kept):
                row[kept[i]] += counts[p] * r[kept[i]]
    return evidence
