r"""The E step of textbook variational inference for LDA, in double precision.

With :math:`q(\theta_d) = \mathrm{Dir}(\gamma_d)` and :math:`b_{wk} = \exp E[\ln\phi_{kw}]`, the fixed point of

.. math::
    r_{dwk} \propto \exp(\psi(\gamma_{dk}))\, b_{wk}, \qquad (1)

    \gamma_{dk} = \alpha_k + \sum_w c_{dw} r_{dwk} \qquad (2)

is found for each document; the expected counts of the topics are :math:`\sum_d c_{dw} r_{dwk}` (3).
"""

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def digamma(x):
    """Return ψ(x) for x > 0: up to 6 by ψ(x) = ψ(x + 1) - 1/x, beyond that by its asymptotic series."""
    result = 0.0
    while x < 6.0:
        result -= 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * (691 / 32760))))))
    return result + np.log(x) - 0.5 / x - series


@njit(cache=True, nogil=True)
def expect(indptr, words, counts, b, alpha, max_passes, tolerance, gamma, statistics):
    r"""Fit documents: write γ (2), add expected counts (3), return :math:`\sum c \ln\sum_k e^{E\ln\theta} b`.

    A document has converged when its γ changes by less than `tolerance` per topic, on average. `alpha` is one row, or
    one per document.
    """
    K = b.shape[1]
    e, new = np.empty(K), np.empty(K)
    bound = 0.0
    for d in range(len(indptr) - 1):
        g = gamma[d]
        prior = alpha if alpha.ndim == 1 else alpha[d]
        length = counts[indptr[d] : indptr[d + 1]].sum()
        g[:] = prior + length / K
        for _ in range(max_passes):
            for k in range(K):
                e[k] = np.exp(digamma(g[k]))
            new[:] = prior
            for p in range(indptr[d], indptr[d + 1]):
                row = b[words[p]]
                share = counts[p] / (e * row).sum()  # Eq. 1
                for k in range(K):
                    new[k] += share * e[k] * row[k]  # Eq. 2
            moved = np.abs(new - g).sum()
            g[:] = new
            if moved < tolerance * K:
                break
        for k in range(K):
            e[k] = np.exp(digamma(g[k]))
        normaliser = digamma(g.sum())
        for p in range(indptr[d], indptr[d + 1]):
            row, out = b[words[p]], statistics[words[p]]
            total = (e * row).sum()
            for k in range(K):
                out[k] += counts[p] / total * e[k] * row[k]  # Eq. 3
            bound += counts[p] * (np.log(total) - normaliser)
    return bound
