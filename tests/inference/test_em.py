from __future__ import annotations

import numpy as np
import pytest

from driftline.inference.em import EM
from driftline.inference.run import run
from driftline.inference.stopping import LittleMoved, SmallRise, Stop


def coins(starts=(0.4, 0.6)):
    """Tosses, ten at a time, of one of two coins; which coin is not known (both equally likely)."""

    def begin(heads, rng):
        return np.array(starts) if rng is None or starts else rng.random(2)

    def expect(bias, heads, rng=None):
        joint = 0.5 * bias ** heads[:, None] * (1 - bias) ** (10 - heads[:, None])
        belief = joint / joint.sum(axis=1, keepdims=True)
        return (heads @ belief, 10 * belief.sum(axis=0)), float(np.log(joint.sum(axis=1)).sum())

    def maximise(counted, bias, heads):
        return counted[0] / counted[1]

    return EM(begin, expect, maximise, lambda before, after: float(np.abs(after - before).max()))


HEADS = np.array([5.0, 9.0, 8.0, 4.0, 7.0])


def test_the_likelihood_rises_to_the_known_answer():
    found = run(coins((0.6, 0.5)), HEADS, stop=Stop(200, LittleMoved(1e-10)))
    assert (np.diff(found.objective[0]) > -1e-12).all()
    # the textbook's example: biases 0.80 and 0.52
    np.testing.assert_allclose(found.result, [0.80, 0.52], atol=0.005)
    assert found.converged.all()
    assert found.infos[0][-1].moved <= 1e-10


def test_the_objective_is_that_of_the_parameters_before_the_step():
    method = coins()
    found = run(method, HEADS, stop=Stop(3))
    bias = np.array([0.4, 0.6])
    for objective in found.objective[0]:
        counted, expected = method.expect(bias, HEADS)
        assert objective == expected
        bias = method.maximise(counted, bias, HEADS)
    np.testing.assert_array_equal(found.result, bias)


def test_the_best_of_several_climbs_is_returned():
    found = run(coins(None), HEADS, stop=Stop(100, SmallRise(1e-9)), chains=5, rng=0)
    assert len(found.infos) == 5
    _, best = coins().expect(found.result, HEADS)
    assert best >= np.nanmax(found.objective) - 1e-12
    unfinished = run(coins(None), HEADS, stop=Stop(2), chains=5, rng=2)
    alone = [run(coins(None), HEADS, stop=Stop(2), rng=rng) for rng in np.random.default_rng(2).spawn(5)]
    highest = int(np.argmax([one.objective[0, -1] for one in alone]))
    assert 0 < highest < 4, "neither the first nor the last"
    np.testing.assert_array_equal(unfinished.result, alone[highest].result)
    same = run(coins((0.5, 0.5)), HEADS, stop=Stop(5), chains=2)
    assert same.result.tolist() == pytest.approx([0.66, 0.66])


def test_without_a_measure_of_change_none_is_reported():
    plain = EM(coins().begin, coins().expect, coins().maximise)
    assert np.isnan(run(plain, HEADS, stop=Stop(2)).infos[0][0].moved)
