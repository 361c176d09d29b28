from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import search as oracle

from driftline.graphs.search.average_precision import ascend, average_precision, mean_average_precision


def test_average_precision_is_that_of_the_ranked_list():
    rng = np.random.default_rng(0)
    for _ in range(20):
        scores, relevant = rng.normal(size=12), rng.random(12) < 0.3
        relevant[0] = True
        wanted = oracle.average_precision(np.argsort(-scores).tolist(), set(np.flatnonzero(relevant).tolist()))
        assert average_precision(scores, relevant, int(relevant.sum())) == pytest.approx(wanted)


def test_relevant_documents_that_are_not_ranked_count_as_zero():
    assert average_precision(np.array([1.0]), np.array([True]), 4) == 0.25
    assert average_precision(np.array([1.0]), np.array([False]), 0) == 0.0


def test_ascent_finds_the_kind_that_ranks():
    rng = np.random.default_rng(1)
    judged = []
    for _ in range(20):
        relevant = rng.random(30) < 0.2
        relevant[0] = True
        parts = rng.normal(size=(3, 30))
        parts[1] += 2.0 * relevant
        judged.append((parts, relevant, int(relevant.sum())))
    weights = ascend(judged)
    assert weights[1] > 0.5
    assert sum(weights) == pytest.approx(1.0)
    assert mean_average_precision(judged, weights) > mean_average_precision(judged, (1.0, 0.0, 0.0)) + 0.1
