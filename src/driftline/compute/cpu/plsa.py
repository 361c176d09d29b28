r"""EM for probabilistic latent semantic analysis.

The E step of pair (d, w), tempered by :math:`\tau \le 1`, and the sums of the M step are

.. math::
    r_k \propto (\theta_{dk}\,\phi_{wk})^\tau, \qquad (1)

    n_{dk} = \sum_w c_{dw} r_k, \quad n_{wk} = \sum_d c_{dw} r_k. \qquad (2)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute.jit import njit
from driftline.core.arrays import DeviceArray


class Sums(NamedTuple):
    """The counts of words × topics (2), and the log-likelihood."""

    words: DeviceArray
    likelihood: float


def begin_topics(shares: DeviceArray) -> DeviceArray:
    """Return the initial topics, words × topics."""
    return shares


def begin_documents(n_documents: int, n_topics: int) -> DeviceArray:
    """Return equal shares of all topics for every document."""
    return np.full((n_documents, n_topics), 1.0 / n_topics)


def expect(theta, indptr, words, counts, phi, temperature: float, n_tokens: float) -> tuple[DeviceArray, DeviceArray]:
    """Do the E step for some documents; return their new shares, and the sums (2)."""
    n_documents, n_words = np.zeros_like(theta), np.zeros_like(phi)
    likelihood = add_pairs(indptr, words, counts.astype(np.float64), theta, phi, temperature, n_documents, n_words)
    totals = n_documents.sum(axis=1, keepdims=True)
    shares = np.divide(n_documents, totals, out=np.full_like(theta, 1.0 / theta.shape[1]), where=totals > 0)
    return shares, Sums(n_words, likelihood)


def added(first: Sums, second: Sums) -> Sums:
    """Return the sums of the documents of both."""
    return Sums(first.words + second.words, first.likelihood + second.likelihood)


def likelihood_of(sums: Sums) -> float:
    """Return the log-likelihood of all documents."""
    return sums.likelihood


def word_shares(sums: Sums, n_topics: int, smoothing: float) -> DeviceArray:
    """Do the M step: return the shares of words in topics, with a constant added to each count."""
    counts = sums.words + smoothing
    return counts / counts.sum(axis=0)


def topics_of(phi: DeviceArray, n_topics: int) -> DeviceArray:
    """Return the topics as an array of words × topics."""
    return phi


@njit(cache=True, nogil=True)
def add_pairs(indptr, words, counts, theta, phi, temperature, n_documents, n_words):
    r"""Add the sums (2) to `n_documents` and `n_words`; return :math:`\sum c \ln \sum_k \theta\phi`."""
    K = theta.shape[1]
    r = np.empty(K)
    likelihood = 0.0
    for d in range(len(indptr) - 1):
        for p in range(indptr[d], indptr[d + 1]):
            row = phi[words[p]]
            plain, total = 0.0, 0.0
            for k in range(K):
                value = theta[d, k] * row[k]
                plain += value
                r[k] = value if temperature == 1.0 else value**temperature
                total += r[k]
            if total <= 0:
                continue
            likelihood += counts[p] * np.log(plain)
            share = counts[p] / total
            for k in range(K):
                n_documents[d, k] += share * r[k]
                n_words[words[p], k] += share * r[k]
    return likelihood
