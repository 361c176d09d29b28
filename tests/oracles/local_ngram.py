"""The local n-gram model written out: dictionaries of weighted counts, recomputed for every evaluation."""

from __future__ import annotations

import math
from collections import defaultdict

from driftline.smoothing.kernels import Kernel
from tests.oracles.answering import answering_time


def weighted_counts(documents, weights, order):
    """Return {context: {word: weight}} for all contexts of up to order - 1 words; the empty one has single words."""
    counts = defaultdict(lambda: defaultdict(float))
    for document, weight in zip(documents, weights):
        if weight == 0:
            continue
        for i, word in enumerate(document):
            if word < 0:
                continue
            for length in range(min(i, order - 1) + 1):
                context = tuple(document[i - length : i])
                if all(before >= 0 for before in context):
                    counts[context][word] += weight
    return counts


def probability(documents, times, n_words, order, kernel: Kernel, h, rho, context, word, t, *, small=0.1, without=None):
    """Return p(word | context) at time t by (1) and (2) of `compute.cpu.ngram`; document `without` does not exist."""
    asked, t = t, answering_time(times, kernel.side, t)
    kept = [i for i in range(len(documents)) if i != without and (kernel.side == "both" or times[i] < asked)]
    near = [float(kernel.density((t - times[i]) / h)) / kernel.peak if math.isfinite(h) else 1.0 for i in kept]
    if not any(near):
        near = [1.0] * len(kept)  # nothing near: the whole answers
    texts = [documents[i] for i in kept]
    counts = weighted_counts(texts, [(weight + rho) / (1 + rho) for weight in near], order)
    whole = weighted_counts(texts, [1.0] * len(kept), order)
    n_all = sum(whole[()].values())
    if n_all == 0:
        return 1 / n_words
    singles = counts[()] if sum(counts[()].values()) > 0 else whole[()]
    n = sum(singles.values())
    p = (singles[word] + small * n / n_all) / (n * (1 + small * n_words / n_all))
    for length in range(1, min(order - 1, len(context)) + 1):
        followers = counts[tuple(context[len(context) - length :])]
        n = sum(followers.values())
        if n > 1e-9:
            T = sum(min(1.0, math.sqrt(s)) for s in followers.values())
            p = (followers[word] + T * p) / (n + T)
    return p


def log_probability(documents, times, n_words, order, kernel, h, rho, tokens, t, **more):
    """Return log p of a document: each known word given the known words right before it."""
    total = 0.0
    for i, word in enumerate(tokens):
        if word < 0:
            continue
        context = []
        for before in reversed(tokens[max(i - order + 1, 0) : i]):
            if before < 0:
                break
            context.insert(0, before)
        total += math.log(probability(documents, times, n_words, order, kernel, h, rho, context, word, t, **more))
    return total
