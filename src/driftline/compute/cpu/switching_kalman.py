r"""Topics whose centroids drift (IDA-ITT): a mixture of Kalman filters, and the smoother of one topic's centroid.

    μ_t = μ_{t-1} + ν,  ν ~ N(0, ε_t²);      w_t | c_t = k ~ N(μ_tk, σ_k²)                            (1)

All covariances are diagonal. A component of the mixture is a history of labels: given it, each centroid is Gaussian
and each topic's level has its own exact belief, so neither is part of a component. The probability
p(Δ_t, c_t = k | history) is the product over topics of Σ_l b_j(l) e^{-λ_l Δ}, times topic k's mean rate under the
gap-weighted belief (2).
"""

import numpy as np

from driftline.compute.jit import njit

SMALLEST = 1e-12


@njit(cache=True, nogil=True)
def _absorb_gap(beliefs, rates, matrix, gap, moves, masses, means):
    """Apply the transition and the gap to every topic's belief, and write log-mass and mean rate of each (Eq. 2)."""
    n_topics, n_levels = beliefs.shape
    moved = np.empty(n_levels)
    for k in range(n_topics):
        if moves:
            for j in range(n_levels):
                total = 0.0
                for i in range(n_levels):
                    total += beliefs[k, i] * matrix[i, j]
                moved[j] = total
        else:
            moved[:] = beliefs[k]
        mass, mean = 0.0, 0.0
        for l in range(n_levels):
            # Relative to the lowest level, to avoid underflow in long gaps
            moved[l] = max(moved[l] * np.exp(-(rates[l] - rates[0]) * gap), SMALLEST)
            mass += moved[l]
            mean += moved[l] * rates[l]
        masses[k], means[k] = np.log(mass), mean / mass
        for l in range(n_levels):
            beliefs[k, l] = moved[l] / mass


@njit(cache=True, nogil=True)
def _log_density(point, mean, variance, noise):
    total = 0.0
    for d in range(len(point)):
        spread = variance[d] + noise[d]
        total -= 0.5 * ((point[d] - mean[d]) ** 2 / spread + np.log(2 * np.pi * spread))
    return total


@njit(cache=True, nogil=True)
def mixture_filter(
    points,
    gaps,
    drifts,
    rates,
    matrices,
    prior,
    centres,
    spreads,
    noise,
    known,
    keep,
    most,
    lag,
    topics,
    means,
    spread,
    rate,
):
    """Filter a stream with a mixture of label histories; return the log-evidence.

    Of the children that assign a document to the same topic at the same (most probable) level, the `keep` with the
    highest weights are kept, and at most `most` of all. `known` labels (-1: none) allow one child only. Written out:
    `topics` (n, K), p(c_t | documents up to t + lag); `means`, `spread` (n, K, D), the centroids' filtered means and
    variances; `rate` (n, K), the filtered mean rates.
    """
    n, n_dims = points.shape
    n_topics, n_levels = len(centres), len(rates)
    mu, var = np.empty((most, n_topics, n_dims)), np.empty((most, n_topics, n_dims))
    belief, weight = np.empty((most, n_topics, n_levels)), np.zeros(most)
    new_mu, new_var, new_belief = np.empty_like(mu), np.empty_like(var), np.empty_like(belief)
    mu[0], var[0] = centres, spreads
    belief[0] = prior
    size = 1
    label = np.zeros((n, most), dtype=np.int16)
    origin = np.zeros((n, most), dtype=np.int16)
    sizes = np.zeros(n, dtype=np.int64)
    history = np.zeros((n, most))
    scores, children = np.empty(most * n_topics), np.empty(most * n_topics, dtype=np.int64)
    masses, mean_rates = np.empty(n_topics), np.empty((most, n_topics))
    taken = np.zeros((n_topics, n_levels), dtype=np.int64)
    evidence = 0.0
    for t in range(n):
        matrix = matrices[t if len(matrices) > 1 else 0]
        n_children = 0
        for h in range(size):
            if t > 0:
                for k in range(n_topics):
                    for d in range(n_dims):
                        var[h, k, d] += drifts[t] * noise[k, d]
            _absorb_gap(belief[h], rates, matrix, gaps[t], t > 0, masses, mean_rates[h])
            silence = masses.sum() - n_topics * rates[0] * gaps[t]
            for k in range(n_topics):
                if known[t] >= 0 and known[t] != k:
                    continue
                scores[n_children] = (
                    weight[h]
                    + silence
                    + np.log(mean_rates[h, k])
                    + _log_density(points[t], mu[h, k], var[h, k], noise[k])
                )
                children[n_children] = h * n_topics + k
                n_children += 1
        order = np.argsort(-scores[:n_children])
        best = scores[order[0]]
        taken[:] = 0
        new_size, total = 0, 0.0
        for i in order:
            h, k = children[i] // n_topics, children[i] % n_topics
            chance = np.exp(scores[i] - best)
            top, top_value = 0, -1.0
            for l in range(n_levels):
                value = belief[h, k, l] * rates[l]
                if value > top_value:
                    top, top_value = l, value
            total += chance
            if taken[k, top] >= keep or new_size >= most or chance < SMALLEST:
                continue
            taken[k, top] += 1
            new_mu[new_size], new_var[new_size], new_belief[new_size] = mu[h], var[h], belief[h]
            for d in range(n_dims):
                gain = var[h, k, d] / (var[h, k, d] + noise[k, d])
                new_mu[new_size, k, d] += gain * (points[t, d] - mu[h, k, d])
                new_var[new_size, k, d] *= 1 - gain
            part = 0.0
            for l in range(n_levels):
                new_belief[new_size, k, l] *= rates[l]
                part += new_belief[new_size, k, l]
            for l in range(n_levels):
                new_belief[new_size, k, l] /= part
            history[t, new_size] = scores[i] - best
            label[t, new_size], origin[t, new_size] = k, h
            new_size += 1
        evidence += best + np.log(total)
        mu, new_mu = new_mu, mu
        var, new_var = new_var, var
        belief, new_belief = new_belief, belief
        size = new_size
        sizes[t] = size
        kept = 0.0
        for h in range(size):
            kept += np.exp(history[t, h])
        means[t], spread[t], rate[t] = 0.0, 0.0, 0.0
        for h in range(size):
            weight[h] = history[t, h] - np.log(kept)
            history[t, h] = weight[h]
            share = np.exp(weight[h])
            for k in range(n_topics):
                for l in range(n_levels):
                    rate[t, k] += share * belief[h, k, l] * rates[l]
                for d in range(n_dims):
                    means[t, k, d] += share * mu[h, k, d]
                    spread[t, k, d] += share * (var[h, k, d] + mu[h, k, d] ** 2)
        for k in range(n_topics):
            for d in range(n_dims):
                spread[t, k, d] = max(spread[t, k, d] - means[t, k, d] ** 2, SMALLEST)
    topics[:] = 0.0
    for t in range(n):
        last = min(n - 1, t + lag)
        for h in range(sizes[last]):
            at = h
            for s in range(last, t, -1):
                at = origin[s, at]
            topics[t, label[t, at]] += np.exp(history[last, h])
    return evidence


@njit(cache=True, nogil=True)
def smooth_centroid(points, weights, drifts, centre, spread, noise, means, variances):
    """Write a centroid's smoothed means and variances (n, D); document t counts as `weights[t]` of an observation."""
    n, n_dims = points.shape
    for d in range(n_dims):
        mean, variance = centre[d], spread[d]
        for t in range(n):
            if t > 0:
                variance += drifts[t] * noise[d]
            if weights[t] > 0:
                gain = variance / (variance + noise[d] / weights[t])
                mean += gain * (points[t, d] - mean)
                variance *= 1 - gain
            means[t, d], variances[t, d] = mean, variance
        for t in range(n - 2, -1, -1):
            ahead = variances[t, d] + drifts[t + 1] * noise[d]
            back = variances[t, d] / ahead
            means[t, d] += back * (means[t + 1, d] - means[t, d])
            variances[t, d] += back**2 * (variances[t + 1, d] - ahead)
