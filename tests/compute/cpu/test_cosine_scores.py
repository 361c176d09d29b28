"""Scores are residuals times features."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.compute.cpu.cosine_scores import cosine_scores


def test_residuals_times_features():
    rng = np.random.default_rng(0)
    counts = sp.csc_array(rng.poisson(0.5, (12, 5)).astype(float))
    tokens = rng.integers(3, 9, (2, 12)).astype(float)  # for two sets of weights
    which = np.array([0, 1, 1, 0, 1])
    table = rng.normal(size=(6, 4))
    cells = rng.integers(0, 6, 12)
    shares = counts.sum(axis=0) / tokens.sum(axis=1)[which]
    token_scores = tokens @ table[cells]
    found = cosine_scores(counts.indptr, counts.indices, counts.data, cells, table, shares, token_scores, which)
    residuals = counts.toarray() - tokens[which].T * shares
    np.testing.assert_allclose(found, residuals.T @ table[cells])
