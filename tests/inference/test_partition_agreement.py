from __future__ import annotations

import numpy as np
import pytest

from driftline.inference.partition_agreement import bcubed


@pytest.mark.parametrize("seed", range(3))
def test_bcubed_is_the_mean_over_items(seed):
    rng = np.random.default_rng(seed)
    truth, found = rng.integers(0, 5, 30), rng.integers(-2, 4, 30)
    same_group, same_cluster = truth[:, None] == truth, found[:, None] == found
    both = (same_group & same_cluster).sum(axis=1)
    precision, recall = (both / same_cluster.sum(axis=1)).mean(), (both / same_group.sum(axis=1)).mean()
    assert bcubed(truth, found) == pytest.approx((2 * precision * recall / (precision + recall), precision, recall))


def test_a_partition_agrees_with_itself():
    assert bcubed(["a", "b", "a"], [7, 3, 7]) == (1.0, 1.0, 1.0)
