from __future__ import annotations

import numpy as np
import pytest

from driftline.inference.gibbs import run_chain, split_r


def test_samples_are_kept_after_the_burn_in_only():
    sweeps, kept = [], []
    chain = run_chain(lambda: sweeps.append(1) or float(len(sweeps)), lambda: kept.append(len(sweeps)), 3, 4)
    assert kept == [4, 5, 6, 7]
    assert chain.trace.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert chain.split_r == split_r([4, 5, 6, 7])


def test_split_r_tells_settled_from_drifting():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=400)
    assert split_r(noise) < 1.05
    assert split_r(noise + np.linspace(0, 10, 400)) > 1.5


@pytest.mark.parametrize("trace", [[], [1.0], [1.0, 2.0, 3.0], [2.0] * 8])
def test_too_little_to_tell(trace):
    assert split_r(trace) == 1.0
