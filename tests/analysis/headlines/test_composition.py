from __future__ import annotations

import numpy as np
import pytest
from tests.oracles import headlines as oracle

from driftline.analysis.headlines.composition import within_groups


def test_with_many_documents_the_half_use_does_not_matter():
    rng = np.random.default_rng(0)
    n1, n0 = rng.integers(4000, 9000, (2, 6)).astype(float)
    a, b = rng.binomial(n1.astype(int), 0.3).astype(float), rng.binomial(n0.astype(int), 0.15).astype(float)
    found = within_groups(a, b, n1, n0, dispersion=2.0)
    ratio, variance = oracle.mantel_haenszel(a, b, n1, n0)
    assert found.ratio == pytest.approx(ratio, rel=1e-3)
    assert np.log(found.upper / found.ratio) == pytest.approx(1.96 * np.sqrt(2 * variance), rel=1e-3)


def test_one_group_gives_the_ratio_of_the_cross_fit():
    found = within_groups(np.array([9.0]), np.array([3.0]), np.array([100.0]), np.array([300.0]))
    mean = 12 / 400
    assert found.ratio == pytest.approx((9.5 / (100 + 0.5 / mean)) / (3.5 / (300 + 0.5 / mean)))


def test_a_group_that_is_new_explains_its_words():
    found = within_groups(np.array([10.0, 200]), np.array([10.0, 0]), np.array([1000.0, 500]), np.array([1000.0, 0]))
    assert found.ratio == pytest.approx(1.0)
    assert found.group == 1
    assert (found.share_inside, found.share_outside) == (pytest.approx(1 / 3), 0.0)


def test_groups_that_compare_nothing_give_no_ratio():
    found = within_groups(np.array([5.0, 0]), np.array([0.0, 7]), np.array([50.0, 0]), np.array([0.0, 50]))
    assert (found.ratio, found.lower, found.upper) == (1.0, 0.0, np.inf)


def test_a_word_in_no_group_is_not_an_error():
    found = within_groups(np.zeros(3), np.zeros(3), np.array([5.0, 0, 0]), np.array([5.0, 0, 2]))
    assert found.ratio == 1.0
