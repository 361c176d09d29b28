"""Structured variational inference: its bound, and where it is exact."""

from __future__ import annotations

import numpy as np
import pytest
from tests.intensity.streams import assert_exact_for_known_topics, stream_model
from tests.oracles import intensity as oracle

from driftline.intensity.tracking.exact import infer_exact
from driftline.intensity.tracking.structured_variational import infer_structured


def test_the_bound_is_the_plain_one_rises_and_stays_below_the_evidence():
    model, _, _ = stream_model(0, n=40, informative=1.0)
    matrices = [oracle.level_matrix(model.theta, 4)] * 40
    bounds = [infer_structured(model, max_sweeps=sweeps, tolerance=-1.0).log_evidence for sweeps in range(1, 12)]
    assert (np.diff(bounds) > -1e-9).all()
    assert bounds[-1] < infer_exact(model).log_evidence
    found = infer_structured(model, tolerance=1e-13)
    plain = oracle.structured_bound(model.text, model.gaps, model.rates, matrices, model.prior, found.topic_proba)
    assert found.log_evidence == pytest.approx(plain, abs=1e-6)
    assert found.converged


def test_exact_when_all_topics_are_known():
    assert_exact_for_known_topics(infer_structured, 1)


def test_close_where_the_text_speaks():
    model, _, _ = stream_model(2)
    error = np.abs(infer_structured(model).topic_proba - infer_exact(model).topic_proba)
    assert error.mean() < 0.015
