r"""EM for probabilistic latent semantic analysis.

The E step of pair (d, w), tempered by :math:`\tau \le 1`, and the sums of the M step are

.. math::
    r_k \propto (\theta_{dk}\,\phi_{wk})^\tau, \qquad (1)

    n_{dk} = \sum_w c_{dw} r_k, \quad n_{wk} = \sum_d c_{dw} r_k. \qquad (2)
"""

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def expect(indptr, words, counts, theta, phi, temperature, n_documents, n_words):
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
