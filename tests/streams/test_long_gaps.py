import numpy as np

from driftline.streams.long_gaps import long_gaps


def test_a_hole_is_named_by_its_edges():
    days = np.array([d for d in range(300) if not 100 < d < 150], dtype=float)
    assert long_gaps(days) == [(100.0, 150.0)]
    assert long_gaps(days[::-1]) == [(100.0, 150.0)]


def test_weekends_sparse_streams_and_tiny_ones_have_none():
    assert long_gaps(np.array([d for d in range(300) if d % 7 < 5], dtype=float)) == []
    rng = np.random.default_rng(0)
    for seed in range(20):
        assert long_gaps(np.sort(np.random.default_rng(seed).random(30))) == []
    assert long_gaps(np.sort(rng.random(2))) == []
    assert long_gaps(np.zeros(0)) == []
