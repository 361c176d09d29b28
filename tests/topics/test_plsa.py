from __future__ import annotations

import numpy as np

from driftline.topics import PLSA
from tests.topics.corpora import drawn, matched


def test_one_step_equals_the_textbook():
    X, _ = drawn(10, 8, 2, 20)
    model = PLSA(2, max_steps=1, random_state=3, smoothing=1e-9).fit(X)
    rng = np.random.default_rng(3)
    phi = 0.5 * rng.dirichlet(np.ones(8), 2) + 0.5 / 8
    theta = np.full((10, 2), 0.5)
    joint = theta[:, :, None] * phi[None]
    responsibility = joint / joint.sum(axis=1, keepdims=True)
    counts = (X.toarray()[:, None, :] * responsibility).sum(axis=0)
    np.testing.assert_allclose(model.components_, counts / counts.sum(axis=1, keepdims=True), rtol=1e-6, atol=1e-9)
    expected = (X.toarray() * np.log(joint.sum(axis=1))).sum()
    np.testing.assert_allclose(model.objective_[0], expected)


def test_the_likelihood_never_decreases_and_topics_are_found():
    X, truth = drawn(500, 100, 3, 80)
    model = PLSA(3, random_state=0, smoothing=1e-9, tolerance=0.0).fit(X)
    assert (np.diff(model.objective_) >= -1e-6).all()
    assert matched(model.components_, truth) < 0.2


def test_parts_do_not_matter():
    X, _ = drawn(80, 50, 3)
    first, second = (PLSA(3, random_state=0, n_partitions=n, n_jobs=n).fit(X) for n in (1, 3))
    np.testing.assert_allclose(first.components_, second.components_, atol=1e-8)


def test_tempering_improves_held_out_documents():
    X, _ = drawn(300, 200, 3, 15)
    train, test = X[:150], X[150:]
    plain = PLSA(12, random_state=0).fit(train)
    tempered = PLSA(12, temperature="held-out", random_state=0).fit(train)
    assert tempered.temperature_ < 1
    assert tempered.score(test) > plain.score(test)
