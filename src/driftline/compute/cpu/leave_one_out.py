"""Leave-one-document-out probabilities of words, in closed form from local and global sums.

β is the small count that every word of the vocabulary gets; scaled by N_t/N it makes the limit h → ∞ exactly the
global model. `own` is 1 where a document counts towards its own estimate (two-sided kernels) and 0 where it does not.
"""

from __future__ import annotations

import numpy as np

from driftline.compute.jit import njit
from driftline.compute.variant_codes import ADDITIVE, DIRICHLET


@njit(cache=True, nogil=True, inline="always")
def smoothed(local, local_tokens, total, total_tokens, n_words, beta, kind, strength):
    """Return one smoothed probability from a word's local and total counts and the corresponding numbers of tokens."""
    if total_tokens > 0.0:
        background = (total + beta) / (total_tokens + beta * n_words)
    else:
        background = 1.0 / n_words
    if local_tokens <= 0.0 or total_tokens <= 0.0:
        return background
    if kind == ADDITIVE:
        return (local + strength) / (local_tokens + strength * n_words)
    share = beta * local_tokens / total_tokens
    if kind == DIRICHLET:
        return (local + share + strength * background) / (local_tokens + share * n_words + strength)
    return (1.0 - strength) * (local + share) / (local_tokens + share * n_words) + strength * background


@njit(cache=True, nogil=True)
def probabilities(local, local_tokens, total, total_tokens, own, own_tokens, n_words, beta, kind, strength):
    """Return the smoothed probability of every entry without its own document."""
    result = np.empty(len(local))
    for i in range(len(local)):
        result[i] = smoothed(
            max(local[i] - own[i], 0.0),
            local_tokens[i] - own_tokens[i],
            total[i] - own[i],
            total_tokens[i] - own_tokens[i],
            n_words,
            beta,
            kind,
            strength,
        )
    return result


@njit(cache=True, nogil=True)
def scores(local, local_tokens, total, total_tokens, own, own_tokens, counts, n_words, beta, kind, strengths):
    """Return the leave-one-out log-likelihood of all entries together, for every strength of the smoothing."""
    result = np.zeros(len(strengths))
    for i in range(len(local)):
        without = max(local[i] - own[i], 0.0)
        tokens = local_tokens[i] - own_tokens[i]
        rest = total[i] - own[i]
        rest_tokens = total_tokens[i] - own_tokens[i]
        for j in range(len(strengths)):
            p = smoothed(without, tokens, rest, rest_tokens, n_words, beta, kind, strengths[j])
            result[j] += counts[i] * np.log(p) if p > 0.0 else -np.inf
    return result
