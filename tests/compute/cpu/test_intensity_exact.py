"""The loops over joint levels, against plain sums."""

from __future__ import annotations

import itertools

import numpy as np

from driftline.compute.cpu.intensity_exact import joint_log_likelihood, summarise_levels, topics_and_levels


def test_joint_likelihood_and_topics_by_hand():
    rng = np.random.default_rng(0)
    text, gaps, rates = rng.random((3, 3)), np.array([0.0, 0.5, 2.0]), np.array([0.3, 1.1])
    found = joint_log_likelihood(text, gaps, rates)
    belief = rng.dirichlet(np.ones(8), 3)
    events, levels = np.empty((2, 3, 3, 2))
    topics_and_levels(belief, text, rates, events, levels)
    for t in range(3):
        by_topic, by_level = np.zeros((3, 2)), np.zeros((3, 2))
        for s, digits in enumerate(itertools.product(range(2), repeat=3)):
            rate = rates[list(digits)]
            mixed = (rate * text[t]).sum()
            np.testing.assert_allclose(found[t, s], np.log(mixed) - rate.sum() * gaps[t])
            for k, l in enumerate(digits):
                by_level[k, l] += belief[t, s]
                by_topic[k, l] += belief[t, s] * rate[k] * text[t, k] / mixed
        np.testing.assert_allclose(events[t], by_topic)
        np.testing.assert_allclose(levels[t], by_level)


def test_quantiles_are_the_first_level_that_holds_enough():
    levels = np.array([[[0.04, 0.3, 0.3, 0.36], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]])
    intensity = np.empty((1, 3))
    lower, middle, upper = (np.empty((1, 3), dtype=np.uint8) for _ in range(3))
    summarise_levels(levels, np.array([1.0, 2, 4, 8]), 0.05, intensity, lower, middle, upper)
    np.testing.assert_allclose(intensity, [[0.04 + 0.6 + 1.2 + 2.88, 1, 8]])
    assert (lower.tolist(), middle.tolist(), upper.tolist()) == ([[1, 0, 3]], [[2, 0, 3]], [[3, 0, 3]])
