"""Small labelled streams for the classifiers' tests."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def labelled_stream(n=240, n_classes=2, seed=0, n_words=10):
    """Return counts, labels and times of a stream in which the words that tell the classes apart change places."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(0, 10, n))
    labels = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    X = np.empty((n, n_words))
    for i in range(n):
        shares = np.ones(n_words)
        shares[(labels[i] + int(times[i] / 10 * n_classes)) % n_classes] += 4
        X[i] = rng.multinomial(12, shares / shares.sum())
    return sp.csr_matrix(X), labels, times
