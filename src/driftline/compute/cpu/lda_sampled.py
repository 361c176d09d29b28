r"""Gibbs sampling for LDA, all documents at once: the topics change after a pass, not within it.

Collapsed variational inference (`lda_epochs`) assumes that the topics of a document's tokens are independent of each
other. The topics that fit best under this assumption differ from the true ones for any number of documents. A pass that
samples makes no such assumption. With the shares :math:`\varphi_{wk}` fixed, it draws the topic shares of a document
from its topic counts, then the topic of every token,

.. math::
    \theta_{dk} \sim \mathrm{Gamma}(n_{dk} + \alpha_k), \qquad (1)

    g_k \propto \varphi_{wk}\,\theta_{dk}, \qquad n_{dk} \leftarrow \#\{i : z_i = k\}, \quad z_i \sim g, \qquad (2)

and adds the probabilities, not the drawn topics, to the next counts, :math:`M_{wk} = \sum_d c_{dw} g_k`: their mean is
the same, and their variance smaller. No topic of a token is stored, and pairs are independent given
:math:`\theta_d`. A count that is not whole is rounded at random to the number of drawn topics.
"""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit
from driftline.compute.random_draws import TOKENS, draws_for

SUMS = {"reassoc", "contract", "nsz"}
uniform, gamma = draws_for(njit(nogil=True))


def can_sample(n_topics: int) -> bool:
    """Return whether documents with this number of topics can be sampled."""
    return True


def sample_documents(documents, indptr, words, counts, shares, alpha, sums, n_topics, n_long, weight, seed):
    """Draw the counts of all documents once, in place, and add `weight` times their probabilities to those of words."""
    _sample(indptr, words, counts, shares, alpha, documents, sums.values, sums.moved, np.float32(weight), seed)


@njit(nogil=True, fastmath=SUMS)
def _sample(indptr, words, counts, shares, alpha, documents, sums, moved, weight, seed):
    K, zero = len(alpha), np.float32(0)
    g, theta, out = np.empty(K, np.float32), np.empty(K, np.float32), np.empty(K, np.float32)
    for d in range(len(indptr) - 1):
        for k in range(K):
            shape = documents[d * K + k] + alpha[k]
            theta[k] = gamma(shape, seed, d * K + k) if alpha[k] > zero else zero  # Eq. 1; zero in the padding
        out[:] = 0
        for p in range(indptr[d], indptr[d + 1]):
            w = np.int64(words[p]) * K
            total = zero
            for k in range(K):
                g[k] = shares[w + k] * theta[k]
                total += g[k]
            share = counts[p] * weight / total
            for k in range(K):
                sums[w + k] += g[k] * share
            n = int(counts[p])
            if counts[p] > n and uniform(seed, p, TOKENS - 1) < counts[p] - n:
                n += 1
            for i in range(n):  # Eq. 2
                left, k = uniform(seed, p, TOKENS + i) * total - g[0], 0
                while left >= zero and k < K - 1:
                    k += 1
                    left -= g[k]
                out[k] += 1
        for k in range(K):
            moved[0] += abs(out[k] - documents[d * K + k])
            documents[d * K + k] = out[k]
