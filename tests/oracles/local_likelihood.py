"""Local likelihood as the definitions read: loops over documents and words, nothing clever."""

from __future__ import annotations

import numpy as np


def kernel_value(kernel, lag, bandwidth):
    """K(lag / h) / K(0): one at no distance. Past-only: nothing at or after the requested time."""
    if kernel.side == "past" and not lag > 0:
        return 0.0
    if np.isinf(bandwidth):
        return 1.0
    u = abs(lag / bandwidth)
    if u >= (3.0 if kernel.name == "gaussian" else 1.0):
        return 0.0
    return {
        "uniform": 1.0,
        "triangular": 1 - u,
        "epanechnikov": 1 - u**2,
        "tricube": (1 - u**3) ** 3,
        "gaussian": np.exp(-(u**2) / 2),
    }[kernel.name]


def weighted_sums(counts, times, when, kernel, bandwidth):
    """Σ_τ K(t - τ) c_τw for every t and w, from dense counts."""
    result = np.zeros((len(when), counts.shape[1]))
    for i, t in enumerate(when):
        for row, tau in zip(counts, times):
            result[i] += kernel_value(kernel, t - tau, bandwidth) * row
    return result


def distribution(counts, times, t, kernel, bandwidth, prior):
    """The smoothed word distribution at t, from dense counts of documents."""
    n_words = counts.shape[1]
    before = [i for i, tau in enumerate(times) if kernel.side == "both" or tau < t]
    totals = counts[before].sum(axis=0)
    everything = totals.sum()
    beta = prior.small_count
    background = (totals + beta) / (everything + beta * n_words) if everything else np.full(n_words, 1 / n_words)
    local = weighted_sums(counts, times, [t], kernel, bandwidth)[0]
    tokens = local.sum()
    if not tokens > 0:
        return background
    if prior.kind == "additive":
        return (local + prior.strength) / (tokens + prior.strength * n_words)
    own = local + beta * tokens / everything
    if prior.kind == "dirichlet":
        return (own + prior.strength * background) / (own.sum() + prior.strength)
    return (1 - prior.strength) * own / own.sum() + prior.strength * background


def leave_one_out(counts, times, kernel, bandwidth, prior):
    """For every document the log-likelihood of its words under the model of all the others, refitted each time."""
    result = np.zeros(len(counts))
    for d in range(len(counts)):
        rest = np.arange(len(counts)) != d
        theta = distribution(counts[rest], times[rest], times[d], kernel, bandwidth, prior)
        used = counts[d] > 0
        result[d] = (counts[d, used] * np.log(theta[used])).sum()
    return result


def poisson_scores(counts, times, kernel, bandwidth, prior):
    """Σ_d c log θ - n θ for every word, θ without document d, but the background of the second term with it."""
    n_words = counts.shape[1]
    result = np.zeros(n_words)
    lengths = counts.sum(axis=1)
    background = counts.sum(axis=0) / counts.sum()
    for d in range(len(counts)):
        rest = np.arange(len(counts)) != d
        theta = distribution(counts[rest], times[rest], times[d], kernel, bandwidth, prior)
        used = counts[d] > 0
        result[used] += counts[d, used] * np.log(theta[used])
        local = weighted_sums(counts[rest], times[rest], [times[d]], kernel, bandwidth)[0]
        tokens = local.sum()
        if tokens > 0:
            result -= lengths[d] * (local + prior.strength * background) / (tokens + prior.strength)
        else:
            result -= lengths[d] * background
    return result


def band_weights(times, tokens, t, kernel, bandwidth):
    """A_d with the jackknife over bandwidths, for documents of these lengths at these times."""

    def share(h):
        k = np.array([kernel_value(kernel, t - tau, h) for tau in times])
        return k / (k * tokens).sum()

    return 2 * share(bandwidth) - share(bandwidth * (np.sqrt(2) if kernel.side == "both" else 2))
