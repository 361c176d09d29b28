"""Local naive Bayes written out: every sum by itself, one document, class and word at a time."""

from __future__ import annotations

import math

import numpy as np

from driftline.smoothing.kernels import Kernel
from tests.oracles.answering import answering_time


def joint_log_probability(X, labels, times, n_classes, kernel: Kernel, h, mu, x, t, *, small=0.1, nu=2.0, without=None):
    """Return log π_c + Σ_w x_w log θ_cw at time t by the equations of `compute.cpu.naive_bayes`, one entry per class.

    Document number `without` is left out of everything. With a past-only kernel nothing at or after t exists.
    """
    n_words = X.shape[1]
    asked, t = t, answering_time(times, kernel.side, t)
    exists = [i != without and (kernel.side == "both" or times[i] < asked) for i in range(len(times))]
    weight = [
        (1.0 if math.isinf(h) else float(kernel.density((t - times[i]) / h)) / kernel.peak) if exists[i] else 0.0
        for i in range(len(times))
    ]
    D = [sum(1 for i in range(len(times)) if exists[i] and labels[i] == c) for c in range(n_classes)]
    M = [sum(weight[i] for i in range(len(times)) if labels[i] == c) for c in range(n_classes)]
    result = np.empty(n_classes)
    for c in range(n_classes):
        share = sum(M) / sum(D) if sum(D) else 0.0
        H = (D[c] + 1) / (sum(D) + n_classes)
        result[c] = math.log((M[c] + share + nu * H) / (sum(M) + share * n_classes + nu))
        T_c = sum(X[i].sum() for i in range(len(times)) if exists[i] and labels[i] == c)
        N_c = sum(weight[i] * X[i].sum() for i in range(len(times)) if labels[i] == c)
        for w in range(n_words):
            if x[w] == 0:
                continue
            who = [i for i in range(len(times)) if exists[i] and (labels[i] == c or T_c == 0)]
            T_w = sum(X[i, w] for i in who)
            T = sum(X[i].sum() for i in who)
            theta = G = (T_w + small) / (T + small * n_words)
            if T_c > 0 and N_c + mu > 0:
                S_w = sum(weight[i] * X[i, w] for i in range(len(times)) if labels[i] == c)
                theta = (S_w + small * N_c / T_c + mu * G) / (N_c * (1 + small * n_words / T_c) + mu)
            result[c] += x[w] * math.log(theta)
    return result
