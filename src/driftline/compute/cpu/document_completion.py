r"""Topic shares of documents under known topics, and their prediction of further words.

With :math:`\phi_{wk}` the share of word w in topic k, a document's expected counts are the fixed point of

.. math:: n_k = \sum_w c_w\, \frac{\phi_{wk}(n_k + \alpha_k)}{\sum_j \phi_{wj}(n_j + \alpha_j)}, \qquad (1)

and its shares :math:`\theta_k = (n_k + \alpha_k) / (n + \alpha_0)` (2) predict the rest of its words:
:math:`p(w) = \sum_k \theta_k \phi_{wk}` (3).
"""

import numpy as np

from driftline.compute.jit import njit

SUMS = {"reassoc", "contract", "nsz"}
DOCUMENTS = 256
"""Number of documents per call."""


@njit(cache=True, nogil=True, fastmath=SUMS)
def settle(rows, indptr, words, counts, phi, alpha, max_passes, tolerance, n_documents, scratch):
    """Iterate Eq. 1 for each document until its counts change by less than `tolerance` of its length; in place.

    `alpha` is one row, or one for each of `rows`.
    """
    K = phi.shape[1]
    g, out = scratch[0], scratch[1]
    for i in range(len(rows)):
        n_d = n_documents[i]
        prior = alpha if alpha.ndim == 1 else alpha[i]
        alpha_sum = prior.sum()
        length = np.float32(0)
        for p in range(indptr[rows[i]], indptr[rows[i] + 1]):
            length += counts[p]
        for k in range(K):
            # Without a prior all topics start equal; those of the padding vanish in the first pass.
            n_d[k] = prior[k] * (length / alpha_sum) if alpha_sum > 0 else length / K
        for _ in range(max_passes):
            out[:] = 0
            for p in range(indptr[rows[i]], indptr[rows[i] + 1]):
                row = phi[words[p]]
                total = np.float32(0)
                for k in range(K):
                    g[k] = row[k] * (n_d[k] + prior[k])
                    total += g[k]
                if total > 0:
                    share = counts[p] / total
                    for k in range(K):
                        out[k] += g[k] * share
            moved = np.float32(0)
            for k in range(K):
                moved += abs(out[k] - n_d[k])
                n_d[k] = out[k]
            if moved <= tolerance * length:
                break


@njit(cache=True, nogil=True, fastmath=SUMS)
def predicted(rows, indptr, words, counts, phi, alpha, n_documents, log_likelihood):
    """Write each document's log-likelihood of these words under its shares (2), (3)."""
    K = phi.shape[1]
    for i in range(len(rows)):
        n_d = n_documents[i]
        length = np.float32(0)
        for k in range(K):
            length += n_d[k] + alpha[k]
        likelihood = 0.0
        for p in range(indptr[rows[i]], indptr[rows[i] + 1]):
            row = phi[words[p]]
            total = np.float32(0)
            for k in range(K):
                total += row[k] * (n_d[k] + alpha[k])
            likelihood += counts[p] * np.log(np.float64(total / length))
        log_likelihood[i] = likelihood


@njit(cache=True, nogil=True)
def _mixed(value):
    """Return a 64-bit value with its bits mixed (the finaliser of splitmix64)."""
    value ^= value >> np.uint64(30)
    value *= np.uint64(0xBF58476D1CE4E5B9)
    value ^= value >> np.uint64(27)
    value *= np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@njit(cache=True, nogil=True)
def toss(indptr, words, counts):
    """Return the part of every pair in the first half; each token is assigned by a random bit of the document alone.

    A document is therefore divided in the same way at any position. Beyond 62 uses of one word the rest is divided
    evenly.
    """
    first = np.zeros(len(words), np.float64)
    for d in range(len(indptr) - 1):
        document = np.uint64(0x9E3779B97F4A7C15)
        for p in range(indptr[d], indptr[d + 1]):
            document += _mixed(np.uint64(words[p]) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(min(counts[p], 1e15)))
        for p in range(indptr[d], indptr[d + 1]):
            coins = _mixed(document ^ _mixed(np.uint64(words[p]) + np.uint64(1)))
            whole = np.floor(counts[p])
            tosses = int(min(whole, 62.0))
            heads = 0.0
            for _ in range(tosses):
                heads += np.float64(coins & np.uint64(1))
                coins >>= np.uint64(1)
            heads += np.floor((whole - tosses) / 2)
            if coins & np.uint64(1):
                heads += counts[p] - whole
            first[p] = heads
    return first
