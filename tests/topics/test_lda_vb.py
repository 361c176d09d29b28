from __future__ import annotations

import numpy as np
import pytest

from driftline.engines.threads import Threads
from driftline.inference.pairs import Pairs
from driftline.topics.fitting import partition
from driftline.topics.lda_vb import fit_vb
from tests.oracles.lda import variational_em
from tests.topics.corpora import drawn


@pytest.mark.parametrize("n_parts", [1, 3])
def test_equals_the_textbook(n_parts):
    X, _ = drawn(12, 10, 3, 30)
    start = np.random.default_rng(1).gamma(10.0, 0.1, (10, 3))
    alpha, eta = np.array([0.3, 0.4, 0.5]), 0.2
    lam, _, bounds = variational_em(X.toarray(), start.T, alpha, eta, 5)
    parts = partition(Pairs.of(X), n_parts)
    found = fit_vb(parts, start, alpha, eta, Threads(1), max_epochs=5, tolerance=0.0)
    np.testing.assert_allclose(found.topics.parameters, lam.T, rtol=1e-6)
    np.testing.assert_allclose(found.bounds, bounds, rtol=1e-8)


def test_the_bound_never_decreases():
    X, _ = drawn(60, 30, 3, 40)
    start = np.random.default_rng(1).gamma(10.0, 0.1, (30, 3))
    parts = partition(Pairs.of(X), 2)
    found = fit_vb(parts, start, np.full(3, 0.2), 0.1, Threads(1), max_epochs=40, tolerance=0.0)
    assert (np.diff(found.bounds) > -1e-2).all()
    assert found.bounds[-1] > found.bounds[0] + 10
