"""Sequences one after another are the same as each alone; the recursions are tested in `tests/sequences`."""

from __future__ import annotations

import itertools

import numpy as np

from driftline.compute.cpu.hidden_markov import best_sequences, expect_sequences


def test_sequences_do_not_touch_each_other():
    rng = np.random.default_rng(0)
    initial, transition = rng.dirichlet(np.ones(2)), rng.dirichlet(np.ones(2), 2)
    logs = np.log(rng.dirichlet(np.ones(3), 2).T.copy())
    tokens, offsets = rng.integers(-1, 3, 12), np.array([0, 5, 5, 6, 12])

    def counted(tokens, offsets):
        evidence, counts = np.empty(len(offsets) - 1), (np.zeros(2), np.zeros((2, 2)), np.zeros((3, 2)))
        nothing = np.empty(0, dtype=np.int64)
        beliefs = np.empty((len(tokens), 2))
        expect_sequences(tokens, offsets, nothing, initial, transition, logs, evidence, *counts, beliefs)
        np.testing.assert_allclose(beliefs.sum(axis=1), 1)
        paths = np.empty(len(tokens), dtype=np.int64)
        best_sequences(tokens, offsets, np.log(initial), np.log(transition), logs, paths)
        return evidence, counts, paths

    evidence, counts, paths = counted(tokens, offsets)
    alone = [counted(tokens[a:b], np.array([0, b - a])) for a, b in itertools.pairwise(offsets)]
    np.testing.assert_allclose(evidence, np.concatenate([one[0] for one in alone]))
    for i in range(3):
        np.testing.assert_allclose(counts[i], sum(one[1][i] for one in alone))
    np.testing.assert_array_equal(paths, np.concatenate([one[2] for one in alone]))
