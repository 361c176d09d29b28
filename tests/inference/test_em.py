from __future__ import annotations

import pytest

from driftline.inference.em import run_em


def test_it_stops_when_the_objective_does_and_counts():
    values = iter([-8.0, -4.0, -3.0, -3.0, -1.0])
    done = run_em(lambda: next(values), 10, 1e-9)
    assert done.objective.tolist() == [-8, -4, -3, -3]
    assert done.converged


def test_it_says_when_it_ran_out_of_steps():
    values = iter(range(100))
    done = run_em(lambda: next(values), 5, 1e-9)
    assert done.n_steps == 5
    assert not done.converged


def test_errors_come_through():
    with pytest.raises(ZeroDivisionError):
        run_em(lambda: 1 / 0, 3, 0.1)


@pytest.mark.parametrize("scale", [1e6, 1.0, 1e-6])
def test_the_tolerance_is_a_share_of_the_objective(scale):
    """A rise by a millionth is the end at tolerance 1e-5 and not at 1e-7, whatever the size of the objective."""
    values = [-scale, -scale * (1 - 1e-6), -scale / 2, -scale / 2]
    assert run_em(iter(values).__next__, 10, 1e-5).n_steps == 2
    assert run_em(iter(values).__next__, 10, 1e-7).n_steps == 4
