import numpy as np

from driftline.streams.holes import holes


def test_a_hole_is_named_by_its_edges():
    days = np.array([d for d in range(300) if not 100 < d < 150], dtype=float)
    assert holes(days) == [(100.0, 150.0)]
    assert holes(days[::-1]) == [(100.0, 150.0)]


def test_weekends_sparse_streams_and_tiny_ones_have_none():
    assert holes(np.array([d for d in range(300) if d % 7 < 5], dtype=float)) == []
    rng = np.random.default_rng(0)
    for seed in range(20):
        assert holes(np.sort(np.random.default_rng(seed).random(30))) == []
    assert holes(np.sort(rng.random(2))) == []
    assert holes(np.zeros(0)) == []
