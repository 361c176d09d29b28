"""The table of methods of the Dirichlet process mixture: each answers in the same form."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.nonparametric.cluster_methods import METHODS, Options
from driftline.nonparametric.multinomial_items import Documents

X = sp.csr_matrix(np.repeat(np.eye(3), 8, axis=0) * 9.0)
OPTIONS = Options(4, 6, 3, 2, 0.5, 10, 7, 0.0, None, 0, False)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_finds_the_clusters(name):
    found = METHODS[name](Documents.of(X, 0.1, 0.0), OPTIONS)
    assert found.clusters.sizes.tolist() == [8, 8, 8]
    assert len({*zip(found.clusters.labels, np.repeat(np.arange(3), 8))}) == 3
    assert len(found.trace) == (1 if name == "dp-means" else 3)
    np.testing.assert_allclose(found.clusters.counts.sum(), X.sum())


def test_what_is_particular_to_each():
    sampled, ascended = (METHODS[name](Documents.of(X, 0.1, 0.0), OPTIONS) for name in ("gibbs", "variational"))
    assert sampled.weights is None
    assert (len(sampled.n_clusters), sampled.trace.shape) == (3 * 6, (3, 10))
    assert ascended.weights.sum() == pytest.approx(1.0)
    assert (ascended.n_clusters.tolist(), ascended.trace.shape[1] <= 7) == ([3], True)
    assert (ascended.r_hat, ascended.effective_samples) == (None, None)


def test_no_more_clusters_than_allowed():
    found = METHODS["variational"](Documents.of(X, 0.1, 0.0), OPTIONS._replace(max_clusters=2))
    assert len(found.clusters.sizes) == 2
