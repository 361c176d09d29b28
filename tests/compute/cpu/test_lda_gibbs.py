from __future__ import annotations

import numpy as np

from driftline.compute.cpu import lda_gibbs
from driftline.compute.cpu.lda_memory import aligned, pad_columns


def test_random_numbers_are_uniform_and_streams_differ():
    firsts = []
    for number in range(200):
        state = lda_gibbs.begin_random(7, number)
        drawn = []
        for _ in range(50):
            u, state = lda_gibbs.next_random(np.uint64(state))
            drawn.append(u)
        firsts.append(drawn[0])
        assert min(drawn) >= 0
        assert max(drawn) < 1
    assert len(set(firsts)) == 200
    assert abs(np.mean(firsts) - 0.5) < 0.08


def test_topics_are_drawn_as_often_as_they_are_likely():
    rng = np.random.default_rng(2)
    K, width = 37, 48
    row, n_d, alpha = rng.integers(0, 5, K), rng.integers(0, 3, K), np.full(K, 0.1)
    inverse = 1 / rng.uniform(5, 9, K)
    p = aligned(width)
    padded = [pad_columns(values, width) for values in (row, n_d, inverse, alpha)]
    total = lda_gibbs.weigh(*padded, np.float32(0.01), p)
    exact = (row + 0.01) * (n_d + alpha) * inverse
    np.testing.assert_allclose(p[:K], exact, rtol=1e-5)
    np.testing.assert_allclose(total, exact.sum(), rtol=1e-5)
    points = (np.arange(20_000) + 0.5) / 20_000 * total
    drawn = np.bincount([lda_gibbs.pick(p, len(p), np.float32(point)) for point in points], minlength=width)
    assert not drawn[K:].any()
    np.testing.assert_allclose(drawn[:K] / 20_000, exact / exact.sum(), atol=2e-4)


def test_a_point_beyond_the_end_is_still_a_topic():
    p = pad_columns(np.array([0.0, 1.0, 0.0]), 16)
    assert lda_gibbs.pick(p, len(p), np.float32(1.0)) == 1
    assert lda_gibbs.pick(p, len(p), np.float32(2.0)) == 1
