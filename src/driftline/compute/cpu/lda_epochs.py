r"""Collapsed variational inference for LDA, all documents at once: the topics change after a pass, not within it.

With the shares :math:`\varphi_{wk} = (M_{wk} + \beta) / (n_k + V\beta)` fixed during a pass, a pair's initial and final
assignments are

.. math::
    g^0_k \propto \varphi_{wk}\,(n_{dk} + \alpha_k), \qquad (1)

    g_k \propto \varphi_{wk}\,(\max(n_{dk} - g^0_k, 0) + \alpha_k), \qquad (2)

and the document's counts are mixed from this pass and the last,

.. math:: n_{dk} = n^{new}_{dk} + (\ell_d / L_d)\, n^{old}_{dk}, \qquad (3)

as in `lda_online`. The next counts are :math:`M_{wk} = \sum_d c_{dw} g_k`: a sum over documents, which may be formed in
parts; or, after some of the documents, a mixture of the counts before and of their sum. Arrays of words × topics and
documents × topics are flat here, as on all devices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute.cpu.lda_memory import pad_columns, padded
from driftline.compute.jit import njit
from driftline.core.arrays import DeviceArray, Floats

SUMS = {"reassoc", "contract", "nsz"}


class Sums(NamedTuple):
    """Words × topics, padded and flat, and the change of the documents' counts."""

    values: DeviceArray
    moved: DeviceArray


def begin_documents(n_documents: int, n_topics: int) -> DeviceArray:
    """Allocate the topic counts of documents."""
    return np.zeros(n_documents * padded(n_topics), dtype=np.float32)


def prior_of(document_prior: Floats, n_topics: int) -> DeviceArray:
    """Return α in the layout for documents: padded."""
    return pad_columns(document_prior, padded(n_topics))


def sums_of(values: DeviceArray, n_words: int, n_topics: int, n_tokens: float, deterministic: bool) -> Sums:
    """Return counts of words × topics, whatever their padding, to which documents can add.

    Additions are in a fixed order here, so that the result is reproducible.
    """
    result = np.zeros((n_words, padded(n_topics)), dtype=np.float64)
    result[:, :n_topics] = np.asarray(values).reshape(n_words, -1)[:, :n_topics]
    return Sums(result.reshape(-1), np.zeros(1))


def word_shares(sums: Sums, n_words: int, n_topics: int, beta: float) -> DeviceArray:
    """Return (M_wk + β) / (n_k + Vβ), zero in the padding."""
    counts = sums.values.reshape(n_words, -1)[:, :n_topics]
    shares = np.zeros((n_words, padded(n_topics)), dtype=np.float32)
    shares[:, :n_topics] = (counts + beta) / (counts.sum(axis=0) + n_words * beta)
    return shares.reshape(-1)


def forget(sums: Sums, keep: float, seed_rows: DeviceArray, seed_counts: DeviceArray) -> None:
    """Discount all counts to this share, except the seeds; in place."""
    np.multiply(sums.values, keep, out=sums.values)
    sums.values.reshape(-1, seed_counts.shape[1])[seed_rows] += (1.0 - keep) * seed_counts


def n_long(indptr: DeviceArray) -> int:
    """Return the number of documents of a part that are divided among several workers: none."""
    return 0


def learn_documents(
    documents, indptr, words, counts, shares, alpha, sums, n_topics, n_long, n_warm, weight, first, step
):
    """Update the counts of documents once, in place, and add `weight` times their assignments to those of the words.

    The documents are `first`, `first` + `step` … With `n_warm` their counts are first initialised by that many passes
    of Eq. 1, and are not kept if no memory is allocated for them.
    """
    arrays = (indptr, words, counts, shares, alpha, documents, sums.values, sums.moved)
    _learn(*arrays, n_warm, np.float32(weight), first, step)


def give_back(shares: DeviceArray) -> None:
    """Release these shares."""


def counts_of(sums: Sums) -> DeviceArray:
    """Return the counts as float32, padded and flat."""
    return sums.values.astype(np.float32)


def forget_moved(sums: Sums) -> None:
    """Reset the sum of the changes of the documents' counts."""
    sums.moved[0] = 0.0


def moved_by(sums: Sums) -> float:
    """Return the sum of the changes of the documents' counts since `forget_moved`."""
    return float(sums.moved[0])


@njit(cache=True, nogil=True, fastmath=SUMS)
def _learn(indptr, words, counts, shares, alpha, documents, sums, moved, n_warm, weight, first, step):
    K = len(alpha)
    g, out, old = np.empty(K, np.float32), np.empty(K, np.float32), np.empty(K, np.float32)
    zero = np.float32(0)
    for d in range(first, len(indptr) - 1, step):
        start, end = indptr[d], indptr[d + 1]
        length = zero
        for p in range(start, end):
            length += counts[p]
        for k in range(K):
            old[k] = alpha[k] if n_warm > 0 else documents[d * K + k]
        for _ in range(n_warm):
            out[:] = 0
            for p in range(start, end):
                row = shares[np.int64(words[p]) * K : np.int64(words[p]) * K + K]
                total = zero
                for k in range(K):
                    g[k] = row[k] * (old[k] + alpha[k])  # Eq. 1
                    total += g[k]
                share = counts[p] / total
                for k in range(K):
                    out[k] += g[k] * share
            old[:] = out
        out[:] = 0
        left = length
        for p in range(start, end):
            w = np.int64(words[p]) * K
            row = shares[w : w + K]
            rest = left / length
            left -= counts[p]
            total = zero
            for k in range(K):
                total += row[k] * (old[k] * rest + out[k] + alpha[k])  # Eq. 1, 3
            share = np.float32(1) / total
            total = zero
            for k in range(K):  # Eq. 2
                n = old[k] * rest + out[k]
                others = n - row[k] * (n + alpha[k]) * share
                g[k] = row[k] * ((others if others > zero else zero) + alpha[k])
                total += g[k]
            share = counts[p] / total
            for k in range(K):
                out[k] += g[k] * share
                sums[w + k] += g[k] * (share * weight)
        far = zero
        for k in range(K):
            far += abs(out[k] - old[k])
            if len(documents):
                documents[d * K + k] = out[k]
        moved[0] += far
