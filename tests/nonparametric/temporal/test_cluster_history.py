from __future__ import annotations

import numpy as np
from scipy.stats import beta

from driftline.nonparametric.temporal.cluster_history import ClusterHistory, share_band


def test_intervals_over_samples():
    samples = np.array([[[1, 2], [1, 1], [0, 0]]] * 39 + [[[3, 2], [3, 0], [1, 0]]])
    found = ClusterHistory.of(np.array([0.0, 1.0]), np.array([5, 6]), samples)
    assert found.live[:, 0].tolist() == [1, 1, 1]
    assert found.born[0].tolist() == [1, 1]
    frame = found.to_frame("arrow")
    assert frame.column_names[:3] == ["time", "n_documents", "live"]
    assert "2 births" in repr(found)


def test_shares_have_intervals_of_jeffreys():
    value, low, high = share_band(np.array([[3], [2], [0]]))
    np.testing.assert_allclose(value[:, 0], [0.6, 0.4, 0.0])
    np.testing.assert_allclose(low[:, 0], [beta.ppf(0.025, 3.5, 2.5), beta.ppf(0.025, 2.5, 3.5), 0.0])
    np.testing.assert_allclose(high[:, 0], [beta.ppf(0.975, *pair) for pair in [(3.5, 2.5), (2.5, 3.5), (0.5, 5.5)]])
