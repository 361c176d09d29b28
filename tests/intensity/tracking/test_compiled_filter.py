"""The loop over observations is the kernel's; the state is carried from block to block."""

from typing import NamedTuple

import numpy as np

from driftline.inference.particles import Resampling, filtered
from driftline.intensity.tracking.compiled_filter import compiled_filter


class _Stream(NamedTuple):
    text: np.ndarray
    gaps: np.ndarray


def _begin(problem, n_particles):
    return (np.zeros(n_particles),), (np.zeros(len(problem.text)),)


def test_every_observation_is_processed_once_and_in_order():
    blocks = []

    def kernel(text, gaps, first, last, scheme, rng, evidence, values, weights, trace):
        blocks.append((first, last, scheme, evidence))
        trace[first:last] = gaps[first:last]
        values += last - first
        return evidence + text[first:last].sum()

    problem = _Stream(np.ones((2500, 1)), np.arange(2500.0))
    method = compiled_filter(lambda: kernel, _begin, 5, Resampling("stratified", 0.25))
    ended = filtered(method, problem, np.random.default_rng(0))
    firsts, lasts, schemes, evidence = zip(*blocks)
    assert firsts[0] == 0
    assert lasts[-1] == 2500
    assert firsts[1:] == lasts[:-1]
    assert set(schemes) == {(True, 0.25)}
    assert evidence == firsts
    assert ended.log_evidence == 2500
    np.testing.assert_array_equal(ended.trace[0], problem.gaps)
    np.testing.assert_array_equal(ended.values[0], np.full(5, 2500.0))


def test_the_kernel_is_that_of_the_moment():
    """The device may be selected after the filter was made."""
    current = [lambda *arguments: 1.0]
    method = compiled_filter(lambda: current[0], _begin, 2, Resampling())
    current[0] = lambda *arguments: 7.0
    assert filtered(method, _Stream(np.ones((3, 1)), np.ones(3)), np.random.default_rng(0)).log_evidence == 7.0
