from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.inference.run import run
from driftline.inference.stopping import Stop
from driftline.topics import view_mixture
from driftline.topics.view_mixture import Views, fit_views, log_joint, posterior, topics_of_clusters
from tests.oracles import view_mixture as oracle


def drawn(seed=0, n=60, dimensions=3):
    """Documents of three topics, with vectors near three centres."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.full(12, 0.2), 3)
    centres = rng.standard_normal((3, dimensions))
    which = rng.integers(0, 3, n)
    X = np.array([rng.multinomial(5, topics[k]) for k in which], dtype=np.float64)
    vectors = centres[which] + 0.3 * rng.standard_normal((n, dimensions))
    return sp.csr_matrix(X), vectors, which


@pytest.mark.parametrize("dimensions", [0, 3])
def test_joint_equals_the_oracle(dimensions):
    X, vectors, which = drawn(dimensions=dimensions)
    views = Views(X, vectors)
    topics = topics_of_clusters(views, which, 3)
    found = log_joint(topics, views)
    rows, table = X.toarray().tolist(), [part.tolist() for part in topics[:3]]
    for d, k in ((0, 0), (7, 2), (30, 1)):
        expected = oracle.log_joint(*table, topics.variance, rows[d], vectors[d].tolist(), k)
        assert found[d, k] == pytest.approx(expected)
    shares = posterior(topics, views)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_allclose(shares, np.exp(found) / np.exp(found).sum(axis=1, keepdims=True))


@pytest.mark.parametrize("dimensions", [0, 3])
def test_em_never_decreases_the_posterior(dimensions):
    X, vectors, _ = drawn(1, dimensions=dimensions)
    views = Views(X, vectors)
    start = topics_of_clusters(views, np.arange(60) % 3, 3)
    problem = view_mixture._Problem(views, start, 0.1)
    objective = run(view_mixture.VIEW_EM, problem, stop=Stop(25)).objective[0]
    assert (np.diff(objective) > -1e-9).all()
    assert objective[-1] > objective[0] + 1


def test_blocks_do_not_change_the_result(monkeypatch):
    X, vectors, which = drawn(2)
    views = Views(X, vectors)
    whole = fit_views(views, topics_of_clusters(views, which, 3))
    monkeypatch.setattr(view_mixture, "BLOCK", 7)
    parts = fit_views(views, topics_of_clusters(views, which, 3))
    np.testing.assert_allclose(parts.components, whole.components)
    np.testing.assert_allclose(posterior(parts, views), posterior(whole, views))


def test_second_view_helps():
    """Uninformative words and informative vectors: words alone cannot distinguish the topics."""
    X, vectors, which = drawn(3, n=300)
    X = sp.csr_matrix(np.random.default_rng(1).multinomial(5, np.full(12, 1 / 12), 300).astype(float))
    start = np.where(np.arange(300) < 200, which, 0)
    accuracy = []
    for views in (Views.of(X), Views(X, vectors)):
        found = posterior(fit_views(views, topics_of_clusters(views, start, 3)), views).argmax(axis=1)
        accuracy.append((found == which).mean())
    assert accuracy[1] > 0.95
    assert accuracy[0] < 0.8
