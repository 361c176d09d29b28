"""Fully factorised mean field: the roughest of the approximations, but not wild."""

from __future__ import annotations

import numpy as np
from tests.intensity.streams import small_model, stream_model
from tests.oracles.intensity import level_matrix

from driftline.intensity.tracking.exact import infer_exact
from driftline.intensity.tracking.mean_field import infer_mean_field


def test_exact_for_one_known_document():
    model = small_model(0, n=1)
    model.text[0] = [1.0, 0.0]
    np.testing.assert_allclose(infer_mean_field(model).intensity, infer_exact(model).intensity, rtol=1e-6)


def test_the_fixed_point_is_the_plain_one():
    model, topics, _ = stream_model(1, n=12, n_levels=3)
    model = model._replace(text=np.eye(3)[topics])
    found = infer_mean_field(model, tolerance=1e-12, max_sweeps=2000)
    assert found.converged
    np.testing.assert_allclose(found.topic_proba, model.text)
    far = (model.theta / 2) ** np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    logs = np.log(np.maximum(level_matrix(model.theta, 3), far * (far < 0.9)))
    for k in range(3):
        q = np.full((12, 3), 1 / 3)
        for _ in range(500):
            for t in range(12):
                value = (topics[t] == k) * np.log(model.rates) - model.rates * model.gaps[t]
                value += np.log(model.prior) if t == 0 else q[t - 1] @ logs
                value += logs @ q[t + 1] if t < 11 else 0.0
                q[t] = np.exp(value - value.max()) / np.exp(value - value.max()).sum()
        np.testing.assert_allclose(found.intensity[:, k], q @ model.rates, rtol=1e-6)


def test_topics_are_mostly_right_where_the_text_speaks():
    model, topics, _ = stream_model(2)
    found = infer_mean_field(model)
    assert (found.topic_proba.argmax(axis=1) == topics).mean() > 0.85
    timed = infer_mean_field(model._replace(timed=True))
    assert np.isfinite(timed.intensity).all()
