r"""The implicit model (IDA-IT) over the joint state of all topics: likelihoods of documents, and posteriors of topics.

A joint state is a number in base L, one digit (level) per topic, the first topic's most significant; see `markov`.

    p(Δ, w | l) = e^{-Λ Δ} Σ_k λ(l_k) p(w | k),    Λ = Σ_k λ(l_k)          (1)
    p(c = k | l, w) = λ(l_k) p(w | k) / Σ_j λ(l_j) p(w | j)                (2)

Eq. 1 is the paper's exponential order statistics (its Eq. 1, 2 and Proposition 1) with the topic integrated out.
"""

import numpy as np

from driftline.compute.jit import njit


@njit(cache=True, nogil=True)
def joint_log_likelihood(text, gaps, rates):
    """Return log p(Δ_t, w_t | l) for every document and joint state; `text` is p(w | k) up to a factor per row."""
    n, n_topics = text.shape
    n_levels = len(rates)
    size = n_levels**n_topics
    found = np.empty((n, size))
    total_rate = np.empty(size)
    for t in range(n):
        # Built up digit by digit: the first topics' sums are shared by all states that continue them
        count = 1
        found[t, 0], total_rate[0] = 0.0, 0.0
        for k in range(n_topics):
            for s in range(count - 1, -1, -1):
                mixed, rate = found[t, s], total_rate[s]
                for l in range(n_levels - 1, -1, -1):
                    found[t, s * n_levels + l] = mixed + rates[l] * text[t, k]
                    total_rate[s * n_levels + l] = rate + rates[l]
            count *= n_levels
        for s in range(size):
            found[t, s] = np.log(found[t, s]) - total_rate[s] * gaps[t]  # Eq. 1
    return found


@njit(cache=True, nogil=True)
def topics_and_levels(belief, text, rates, events, levels):
    """Write p(c_t = k, l_tk = l | all data) into `events` and p(l_tk = l | all data) into `levels`.

    `belief` contains p(joint state | all data), documents × states; both results are documents × topics × levels.
    """
    n, size = belief.shape
    n_topics, n_levels = text.shape[1], len(rates)
    digit = np.empty(n_topics, dtype=np.int64)
    for t in range(n):
        events[t] = 0.0
        levels[t] = 0.0
        digit[:] = 0
        for s in range(size):
            mixed = 0.0
            for k in range(n_topics):
                mixed += rates[digit[k]] * text[t, k]
            share = belief[t, s] / mixed
            for k in range(n_topics):
                levels[t, k, digit[k]] += belief[t, s]
                events[t, k, digit[k]] += share * rates[digit[k]] * text[t, k]  # Eq. 2
            k = n_topics - 1
            while k >= 0:
                digit[k] += 1
                if digit[k] < n_levels:
                    break
                digit[k] = 0
                k -= 1


@njit(cache=True, nogil=True)
def summarise_levels(levels, rates, tail, intensity, lower, middle, upper):
    """Write mean rate and the levels at the quantiles `tail`, 1/2 and 1 - `tail` of every document and topic."""
    n, n_topics, n_levels = levels.shape
    for t in range(n):
        for k in range(n_topics):
            mean, below = 0.0, 0.0
            low, mid, high = 0, 0, 0
            for l in range(n_levels):
                mean += rates[l] * levels[t, k, l]
                below += levels[t, k, l]
                if l < n_levels - 1:
                    low += below < tail
                    mid += below < 0.5
                    high += below < 1.0 - tail
            intensity[t, k], lower[t, k], middle[t, k], upper[t, k] = mean, low, mid, high
