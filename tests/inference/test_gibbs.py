from __future__ import annotations

import numpy as np
import pytest

from driftline.inference.gibbs import Gibbs
from driftline.inference.run import Keep, run
from driftline.inference.stopping import Stop

CORRELATION = 0.8


def normal_pair(measure=None):
    """Two normal variables with a known correlation, each drawn given the other."""

    def draw(place):
        def conditional(state, scale, rng):
            state[place] = CORRELATION * state[1 - place] + scale * rng.normal()
            return state

        return conditional

    return Gibbs(lambda scale, rng: np.full(2, 5.0), (draw(0), draw(1)), measure)


def test_samples_have_the_joint_distribution():
    scale = np.sqrt(1 - CORRELATION**2)
    done = run(normal_pair(), scale, stop=Stop(12_000), keep=Keep(burn_in=200), rng=0)
    samples = np.array(done.result)
    assert np.corrcoef(samples.T)[0, 1] == pytest.approx(CORRELATION, abs=0.03)
    np.testing.assert_allclose(samples.mean(axis=0), 0, atol=0.1)
    np.testing.assert_allclose(samples.std(axis=0), 1, atol=0.05)


def test_blocks_are_drawn_in_turn_given_the_newest_others():
    found = run(normal_pair(), 0.0, stop=Stop(1)).result[0]
    np.testing.assert_allclose(found, [0.8 * 5, 0.8 * 0.8 * 5])


def test_what_is_measured_is_the_objective():
    done = run(normal_pair(lambda state, scale: float(state.sum())), 0.5, stop=Stop(20), keep=Keep(), rng=1)
    np.testing.assert_allclose(done.objective[0], [state.sum() for state in done.result])
    assert all(info.acceptance == 1.0 for info in done.infos[0])
    assert np.isnan(run(normal_pair(), 0.5, stop=Stop(2)).objective).all()
