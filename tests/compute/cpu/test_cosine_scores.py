"""Scores are residuals times features."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.compute.cpu.cosine_scores import cosine_scores


def test_residuals_times_features():
    rng = np.random.default_rng(0)
    counts = sp.csc_array(rng.poisson(0.5, (12, 5)).astype(float))
    tokens = rng.integers(3, 9, 12).astype(float)
    table = rng.normal(size=(6, 4))
    cells = rng.integers(0, 6, 12)
    shares = counts.sum(axis=0) / tokens.sum()
    found = cosine_scores(counts.indptr, counts.indices, counts.data, cells, table, shares, tokens @ table[cells])
    residuals = counts.toarray() - np.outer(tokens, shares)
    np.testing.assert_allclose(found, residuals.T @ table[cells])
