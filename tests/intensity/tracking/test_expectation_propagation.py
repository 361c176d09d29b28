"""Expectation propagation: its fixed point, where it is exact, and how near it comes elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from tests.intensity.streams import assert_exact_for_known_topics, small_model, stream_model
from tests.oracles import intensity as oracle

from driftline.intensity.tracking import expectation_propagation
from driftline.intensity.tracking.exact import infer_exact
from driftline.intensity.tracking.expectation_propagation import infer_ep
from driftline.intensity.tracking.structured_variational import infer_structured


@pytest.mark.parametrize("timed", [False, True])
def test_the_fixed_point_is_the_plain_one(timed):
    model, _, _ = stream_model(1, n=25, informative=1.0)
    model = model._replace(timed=timed)
    matrices = list(model.matrices(0, 25)) * (1 if timed else 25)
    topics, levels = oracle.expectation_propagation(model.text, model.gaps, model.rates, matrices, model.prior)
    found = infer_ep(model, tolerance=1e-12, max_sweeps=400)
    np.testing.assert_allclose(found.topic_proba, topics, atol=1e-8)
    np.testing.assert_allclose(found.intensity, levels @ model.rates, rtol=1e-8)
    for name, q in (("lower", 0.05), ("middle", 0.5), ("upper", 0.95)):
        expected = (levels.cumsum(axis=-1) < q).sum(axis=-1).clip(max=len(model.rates) - 1)
        np.testing.assert_array_equal(getattr(found, name), expected)


@pytest.mark.parametrize("timed", [False, True])
def test_exact_when_all_topics_are_known(timed):
    assert_exact_for_known_topics(infer_ep, 2, timed=timed)


def test_exact_for_one_topic():
    model, _, _ = stream_model(3, n=1500, n_topics=1)
    exact, found = infer_exact(model, count=True), infer_ep(model, count=True)
    np.testing.assert_allclose(found.intensity, exact.intensity, rtol=1e-9)
    for mine, theirs in zip(found.statistics, exact.statistics):
        np.testing.assert_allclose(mine, theirs, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_nearer_to_the_truth_than_structured_where_text_speaks(seed):
    model, _, _ = stream_model(seed)
    exact = infer_exact(model).topic_proba
    error = np.abs(infer_ep(model).topic_proba - exact)
    assert error.max() < 0.015
    assert 4 * error.mean() < np.abs(infer_structured(model).topic_proba - exact).mean()


def test_threads_and_overwriting_change_nothing(monkeypatch):
    model, _, _ = stream_model(4, n=1100, n_topics=5, n_levels=3)
    one = infer_ep(model, count=True)
    monkeypatch.setattr(expectation_propagation, "NARROWEST", 2)
    two = infer_ep(model, count=True, n_jobs=2)
    over = infer_ep(model._replace(text=model.text.copy()), overwrite=True)
    for name in ("topic_proba", "intensity", "lower", "middle", "upper"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes(), name
        assert getattr(one, name).tobytes() == getattr(over, name).tobytes(), name
    for counted, again in zip(one.statistics, two.statistics):
        assert counted.tobytes() == again.tobytes()


def test_single_precision_agrees():
    model, _, _ = stream_model(5, n=700)
    single = infer_ep(model._replace(text=model.text.astype(np.float32)))
    assert single.topic_proba.dtype == np.float32
    np.testing.assert_allclose(single.topic_proba, infer_ep(model).topic_proba, atol=1e-5)


def test_extreme_gaps_and_text_stay_finite():
    model, _, _ = stream_model(6, n=60)
    model.gaps[[10, 20]] = [1e9, 0.0]
    model.text[30] = [1.0, 1e-300, 0.0]
    for text in (model.text, model.text.astype(np.float32)):
        found = infer_ep(model._replace(text=text))
        assert np.isfinite(found.topic_proba).all()
        assert np.isfinite(found.intensity).all()
        np.testing.assert_allclose(found.topic_proba.sum(axis=1), 1, rtol=1e-6)
        assert found.intensity[10].max() < 1.2 * model.rates[0], "after an age of silence all is quiet"


def test_one_document_and_one_level():
    one = infer_ep(small_model(0, n=1))
    np.testing.assert_allclose(one.topic_proba, infer_exact(small_model(0, n=1)).topic_proba, atol=1e-12)
    flat = small_model(1, n=5, n_levels=1)
    np.testing.assert_allclose(infer_ep(flat).intensity, flat.rates[0])
