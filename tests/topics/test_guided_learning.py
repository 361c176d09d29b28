"""Shares of topics under the multipliers of bounds, against a loop over the words of every document."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from driftline.inference.document_completion import KnownTopics
from driftline.inference.guide_arrays import Bounds
from driftline.topics.guided_learning import bounded_shares


def one_document(counts, components, prior, factors):
    """Iterate n_k = Σ_w c_w q_wk with q_wk ∝ φ_kw e^−λ_k (n_k + α_k); return n_k over the number of words."""
    n = prior / prior.sum() * counts.sum()
    for _ in range(2000):
        odds = components * factors[:, None] * (n + prior)[:, None]
        n = (odds / odds.sum(axis=0)) @ counts
    return n / counts.sum()


def test_bounded_shares_are_those_of_tilted_words():
    rng = np.random.default_rng(0)
    components, prior = rng.dirichlet(np.full(12, 0.4), 3), np.array([0.3, 0.2, 0.5])
    X = sp.csr_matrix(rng.poisson(1.0, (9, 12)).astype(np.float64))
    X = sp.csr_matrix(sp.vstack([X, sp.csr_matrix((1, 12))]))  # and a document without words
    groups = np.arange(10) % 3
    multipliers = np.array([[0.0, 0.0, 0.0], [1.5, 0.0, -0.7], [0.0, 0.0, 0.0]])
    bounds = Bounds(np.zeros((3, 3)), np.ones((3, 3)), groups)
    found = bounded_shares(KnownTopics.of(components, prior), X, bounds, multipliers, 1)
    for row in range(9):
        expected = one_document(X[[row]].toarray().ravel(), components, prior, np.exp(-multipliers[groups[row]]))
        np.testing.assert_allclose(found[row], expected, atol=0.02)
    assert not found[9].any()
    plain = bounded_shares(KnownTopics.of(components, prior), X, bounds, np.zeros((3, 3)), 1)
    assert abs(found[groups == 1] - plain[groups == 1])[:3].max() > 0.05
