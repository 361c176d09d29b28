"""The test of changed words, one word and one unit at a time, by the sums of its definition."""

from __future__ import annotations

import math

import numpy as np


def weights_of_units(counts, tokens, unit):
    """w_d = 1 / √(n_d (k + φ n_d p)) scaled to mean one, for the counts of one word in documents; also k and φ."""
    n_units = max(unit) + 1
    p = sum(counts) / sum(tokens)
    unit_counts, unit_tokens = [0.0] * n_units, [0.0] * n_units
    for c, n, d in zip(counts, tokens, unit):
        unit_counts[d] += c
        unit_tokens[d] += n
    of_documents = sum((c - n * p) ** 2 for c, n in zip(counts, tokens))
    of_units = sum((c - n * p) ** 2 for c, n in zip(unit_counts, unit_tokens))
    k = of_documents / sum(counts)
    phi = max(of_units - of_documents, 0.0) / sum((n * p) ** 2 for n in unit_tokens)
    weights = [1 / math.sqrt(n * (k + phi * n * p)) for n in unit_tokens]
    mean = sum(weights) / n_units
    return [w / mean for w in weights], k, phi


def residuals_of_units(unit_counts, unit_tokens, weights):
    """R_d = w_d (c_d - n_d p'), p' = Σ w c / Σ w n."""
    p = sum(w * c for w, c in zip(weights, unit_counts)) / sum(w * n for w, n in zip(weights, unit_tokens))
    return [w * (c - n * p) for w, c, n in zip(weights, unit_counts, unit_tokens)]


def energies(residuals, groups):
    """Σ_{k in group} (Σ_d R_d √2 cos(π k u_d))², u_d = (rank + ½) / N."""
    n = len(residuals)

    def score(k):
        return sum(r * math.sqrt(2) * math.cos(math.pi * k * (d + 0.5) / n) for d, r in enumerate(residuals))

    return np.array([sum(score(k) ** 2 for k in group) for group in groups])
