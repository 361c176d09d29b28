from __future__ import annotations

import numpy as np

from driftline.inference.coordinate_ascent import CoordinateAscent, Update
from driftline.inference.run import run
from driftline.inference.stopping import LittleMoved, SmallGain, Stop

PRECISION = np.array([[2.0, 0.9], [0.9, 1.0]])


def bowl():
    """The maximum of -x'Px/2 + x'b, one coordinate at a time."""

    def update(place):
        def one(x, b):
            best = (b[place] - PRECISION[place, 1 - place] * x[1 - place]) / PRECISION[place, place]
            moved = abs(best - x[place])
            x[place] = best
            return Update(x, -0.5 * x[place] * PRECISION[place] @ x + b[place] * x[place], moved)

        return one

    return CoordinateAscent(lambda b, rng: np.array([3.0, -3.0]), (update(0), update(1)))


def test_it_climbs_to_the_maximum():
    b = np.array([1.0, 2.0])
    done = run(bowl(), b, stop=Stop(1000, LittleMoved(1e-12)))
    np.testing.assert_allclose(done.result, np.linalg.solve(PRECISION, b))
    assert done.converged.all()
    again = run(bowl(), b, stop=Stop(1000, SmallGain(1e-9)))
    np.testing.assert_allclose(again.result, done.result, atol=1e-3)


def test_a_step_reports_the_sum_of_the_bounds_and_the_largest_change():
    updates = (lambda x, _: Update(x, 1.5, 0.1), lambda x, _: Update(x, 2.0, 0.7), lambda x, _: Update(x, 0.0, 0.3))
    _, info = CoordinateAscent(lambda problem, rng: 0, updates).step(0, None, None)
    assert (info.objective, info.moved) == (3.5, 0.7)


def test_the_best_of_several_starts_is_returned_if_bounds_are_known():
    states = [(1.0, -3.0), (2.0, -1.0), (3.0, -2.0)]
    assert CoordinateAscent(None, (), lambda state: state[1]).summary(states) == (2.0, -1.0)
    assert CoordinateAscent(None, ()).summary(states) == (3.0, -2.0)
