"""A whole number over samples."""

from __future__ import annotations

import numpy as np

from driftline.inference.sampled_number import SampledNumber


def test_the_interval_leaves_out_a_fortieth_on_either_side():
    numbers = np.arange(1, 202)  # quantiles of 1 … 201 are 1 + 200 p
    assert SampledNumber.of(np.random.default_rng(0).permutation(numbers)) == (101, 6, 196)
    assert all(type(value) is int for value in SampledNumber.of(numbers))


def test_one_sample_is_its_own_interval():
    assert SampledNumber.of([7]) == (7, 7, 7)
