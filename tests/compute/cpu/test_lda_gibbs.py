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


def packed(n_documents, capacity):
    starts = np.arange(n_documents) * capacity
    lists = [np.zeros(n_documents * capacity, dtype) for dtype in (np.int32, np.int32, np.float32)]
    return (starts, np.zeros(n_documents, np.int32), *lists)


def test_packed_lists_count_like_a_dense_matrix():
    rng = np.random.default_rng(5)
    documents, z = rng.integers(0, 6, 300), rng.integers(0, 20, 300)
    weights = rng.uniform(0.1, 1.0, 300).astype(np.float32)
    lists = packed(6, 20)
    lda_gibbs.pack_documents(documents, z, weights, *lists)
    exact, dense = np.zeros((6, 32)), aligned((6, 32))
    np.add.at(exact, (documents, z), weights)
    lda_gibbs.unpack_documents(lists[0], lists[1], lists[2], lists[4], dense)
    np.testing.assert_allclose(dense, exact, rtol=1e-5)
    assert (lists[1] == (exact > 0).sum(axis=1)).all()


def test_a_token_that_leaves_takes_all_of_its_weight():
    """Document lists that lose a little too much or too little at every token drift away from the assignments."""
    rng = np.random.default_rng(7)
    documents, z = rng.integers(0, 4, 400), rng.integers(0, 9, 400)
    weights = rng.uniform(0.1, 1.0, 400).astype(np.float32)
    starts, sizes, topics, uses, counts = packed(4, 9)
    lda_gibbs.pack_documents(documents, z, weights, starts, sizes, topics, uses, counts)
    gone = rng.permutation(400)[:300]
    for i in gone:
        d = documents[i]
        sizes[d] -= lda_gibbs._leave(topics, uses, counts, starts[d], sizes[d], z[i], weights[i])
    stay = np.delete(np.arange(400), gone)
    exact, used = np.zeros((4, 9)), np.zeros((4, 9), dtype=int)
    np.add.at(exact, (documents[stay], z[stay]), weights[stay])
    np.add.at(used, (documents[stay], z[stay]), 1)
    for d in range(4):
        held = slice(starts[d], starts[d] + sizes[d])
        assert sorted(topics[held]) == np.flatnonzero(used[d]).tolist()
        assert uses[held].tolist() == used[d, topics[held]].tolist()
        np.testing.assert_allclose(counts[held], exact[d, topics[held]], rtol=1e-4)


def test_the_sums_of_registers_follow_every_change():
    rng = np.random.default_rng(6)
    row, inverse, alpha = (pad_columns(rng.random(40), 48) for _ in range(3))
    q, r, sums = aligned(48), aligned(48), aligned(16)
    total = lda_gibbs.prepare(row, inverse, alpha, np.float32(0.1), q, r, sums)
    row[7] += 3
    total += lda_gibbs.change(7, row, inverse, alpha, np.float32(0.1), q, r, sums)
    exact = alpha * (row + np.float32(0.1)) * inverse
    np.testing.assert_allclose(r, exact, rtol=1e-5)
    assert total == np.float64(sums.sum(dtype=np.float64))
    np.testing.assert_allclose(sums[:3], exact.reshape(3, 16).sum(axis=1), rtol=1e-5)
    points = (np.arange(5000) + 0.5) / 5000 * total
    drawn = np.bincount([lda_gibbs.pick_by_sums(r, sums, 3, np.float32(p)) for p in points], minlength=48)
    np.testing.assert_allclose(drawn / 5000, exact / exact.sum(), atol=1e-3)
    assert lda_gibbs.pick_by_sums(r, sums, 3, np.float32(2 * total)) == 39, "beyond the end: the last that is possible"
