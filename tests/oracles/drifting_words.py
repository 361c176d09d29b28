"""The words of clusters that drift, document after document, and the posterior over all partitions of a few."""

from __future__ import annotations

import numpy as np

from driftline.nonparametric.priors import RecurrentChineseRestaurant
from tests.oracles.partitions import all_partitions


def log_drifting_words(X, epochs, beta, word_timescale):
    """Return ln p(words) of one cluster: word after word, given the present counts and the decayed earlier ones."""
    total = 0.0
    n_words = X.shape[1]
    for epoch in np.unique(epochs):
        counts = np.full(n_words, float(beta))
        for row, when in zip(X, epochs):
            if when < epoch:
                counts += row * np.exp(-(epoch - when) / word_timescale)
        for row in X[epochs == epoch]:
            for word in np.repeat(np.arange(n_words), row.astype(int)):
                total += np.log(counts[word] / counts.sum())
                counts[word] += 1.0
    return total


def timed_posterior(X, epochs, concentration, beta, timescale, window=np.inf, word_timescale=np.inf):
    """Return every partition, its posterior probability, and its log joint probability with the words."""
    process = RecurrentChineseRestaurant(concentration, timescale, window)
    partitions, logs = all_partitions(len(X)), []
    for labels in partitions:
        names = np.array(labels)
        total = process.log_probability(names, epochs)
        if np.isfinite(total):
            for k in range(max(labels) + 1):
                total += log_drifting_words(X[names == k], epochs[names == k], beta, word_timescale)
        logs.append(total)
    logs = np.array(logs)
    return partitions, np.exp(logs - np.logaddexp.reduce(logs)), logs
