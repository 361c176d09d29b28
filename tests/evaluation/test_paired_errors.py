from __future__ import annotations

import time
from itertools import product

import numpy as np
import pytest
from scipy.stats import binomtest

from driftline.evaluation.paired_errors import paired_p_value


def test_documents_alone_are_mcnemars_test():
    first = np.array([True] * 10 + [False] * 5)
    alone = np.arange(15)
    assert paired_p_value(first, first, alone) == 1.0
    assert paired_p_value(first, np.zeros(15, dtype=bool), alone) == pytest.approx(2 / 2**10)
    second = np.array([False] * 8 + [True, True] + [True, True, False, False, False])
    assert paired_p_value(first, second, alone) == pytest.approx(binomtest(8, 10).pvalue)


def test_units_change_sign_as_a_whole():
    rng = np.random.default_rng(0)
    unit = rng.integers(0, 9, 60)
    first, second = rng.random(60) < 0.5, rng.random(60) < 0.3
    by_unit = np.bincount(unit, weights=first.astype(int) - second.astype(int))
    every = np.array([by_unit @ signs for signs in product([-1, 1], repeat=len(by_unit))])
    assert paired_p_value(first, second, unit) == pytest.approx((np.abs(every) >= abs(by_unit.sum())).mean())


def test_one_text_posted_often_decides_nothing():
    first = np.array([True] * 200 + [False] * 4)
    assert paired_p_value(first, np.zeros(204, dtype=bool), np.array([0] * 200 + [1, 2, 3, 4])) == 1.0


def test_many_documents_take_little_time():
    first = np.random.default_rng(0).random(200_000) < 0.499
    start = time.process_time()
    found = paired_p_value(first, ~first, np.arange(len(first)))
    assert time.process_time() - start < 2
    assert found == pytest.approx(binomtest(int(first.sum()), len(first)).pvalue, rel=1e-9)
