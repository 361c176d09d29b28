"""Exact inference against the enumeration of all levels and topics."""

from __future__ import annotations

import numpy as np
import pytest
from tests.intensity.streams import small_model, stream_model
from tests.oracles.intensity import level_matrix, posterior_by_enumeration

from driftline.intensity.tracking.exact import best_levels, infer_exact


def quantile(levels, q):
    return (levels.cumsum(axis=-1) < q - 1e-12).sum(axis=-1).clip(max=levels.shape[-1] - 1)


@pytest.mark.parametrize("shape", [(4, 2, 2), (3, 2, 3), (3, 3, 2), (4, 1, 3), (5, 2, 1), (1, 2, 3)])
@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
def test_equal_to_enumeration(shape, timed, seed):
    n, n_topics, n_levels = shape
    model = small_model(seed, n, n_topics, n_levels, timed)
    matrices = list(model.matrices(0, n)) * (1 if timed else n)
    if not timed:
        matrices = [level_matrix(model.theta, n_levels)] * n
    evidence, topics, levels, best, counts = posterior_by_enumeration(
        model.text, model.gaps, model.rates, matrices, model.prior
    )
    found = infer_exact(model, tail=0.1, count=True)
    assert found.log_evidence == pytest.approx(evidence)
    np.testing.assert_allclose(found.topic_proba, topics, atol=1e-10)
    np.testing.assert_allclose(found.intensity, levels @ model.rates, atol=1e-10)
    for name, q in (("lower", 0.1), ("middle", 0.5), ("upper", 0.9)):
        np.testing.assert_array_equal(getattr(found, name), quantile(levels, q))
    for mine, theirs in zip(found.statistics, counts):
        np.testing.assert_allclose(mine, theirs, atol=1e-9)
    np.testing.assert_array_equal(best_levels(model), best)


def test_text_may_forbid_topics():
    model = small_model(3)
    model.text[1] = [0.0, 1.0]
    np.testing.assert_allclose(infer_exact(model).topic_proba[1], [0.0, 1.0])


def test_a_long_gap_lowers_every_topic():
    model, _, _ = stream_model(0, n=60)
    model.gaps[40] = 1e6
    found = infer_exact(model)
    assert np.isfinite(found.log_evidence)
    np.testing.assert_allclose(found.intensity[40], model.rates[0], rtol=1e-6)


def test_a_silent_topic_falls_while_others_go_on():
    """Negative evidence: after its last document the second topic's intensity can only sink."""
    text = np.tile([1.0, 0.01], (200, 1))
    text[:60:2] = [0.01, 1.0]
    model = stream_model(0, n=200, n_topics=2)[0]._replace(text=text, gaps=np.full(200, 1.0))
    intensity = infer_exact(model).intensity
    assert intensity[40, 1] > 2 * intensity[-1, 1]
    assert (np.diff(intensity[62:110, 1]) < 1e-9).all()


def test_a_million_documents_without_underflow():
    rng = np.random.default_rng(0)
    n = 1_000_000
    model, _, _ = stream_model(0, n=50, n_topics=1, n_levels=2)
    model = model._replace(text=np.ones((n, 1)), gaps=rng.exponential(1.0, n))
    found = infer_exact(model)
    assert np.isfinite(found.log_evidence)
    assert np.isfinite(found.intensity).all()
