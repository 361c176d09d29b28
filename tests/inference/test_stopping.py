from __future__ import annotations

import math

import pytest

from driftline.inference.contract import Info
from driftline.inference.stopping import LittleMoved, SmallChange, SmallDecrease, SmallGain, SmallRise, never


def rising(*objectives):
    return [Info(objective=value) for value in objectives]


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_rise_counts_as_a_share_of_the_objective_at_any_scale(scale):
    rule = SmallRise(1e-3)
    assert rule(rising(-1000.9 * scale, -1000.0 * scale))
    assert not rule(rising(-1001.1 * scale, -1000.0 * scale))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_change_counts_as_a_share_with_any_sign_and_scale(scale):
    rule = SmallChange(1e-3)
    for sign in (-1, 1):
        assert rule(rising((1000.0 + 0.9 * sign) * scale, 1000.0 * scale))
        assert not rule(rising((1000.0 + 1.1 * sign) * scale, 1000.0 * scale))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_decrease_is_a_share_of_the_loss_before_it(scale):
    rule = SmallDecrease(0.5)
    assert rule(rising(-1000.0 * scale, -501.0 * scale))
    assert not rule(rising(-1000.0 * scale, -499.0 * scale))
    assert rule(rising(-1000.0 * scale, -1001.0 * scale))


def test_a_fall_ends_a_climb():
    assert SmallRise(0.1)(rising(-1.0, -5.0))
    assert SmallGain(0.1)(rising(-1.0, -5.0))
    assert not SmallChange(0.1)(rising(-1.0, -5.0))


def test_a_gain_is_an_amount():
    assert SmallGain(0.5)(rising(-1000.0, -999.5))
    assert not SmallGain(0.5)(rising(-1000.0, -999.4))


def test_one_step_is_not_enough_for_an_objective():
    for rule in (SmallRise(9.0), SmallChange(9.0), SmallDecrease(9.0), SmallGain(9.0), never):
        assert not rule(rising(-1.0))
        assert not rule([])


def test_what_moved_may_end_the_first_step():
    assert LittleMoved(0.1)([Info(moved=0.1)])
    assert not LittleMoved(0.1)([Info(moved=0.2)])
    assert not LittleMoved(0.1, first=2)([Info(moved=0.1)])
    assert LittleMoved(0.1, first=2)([Info(moved=0.5), Info(moved=0.0)])


def test_nothing_known_is_nothing_settled():
    assert not LittleMoved(1.0)([Info()])
    assert not SmallRise(1.0)([Info(), Info(objective=math.nan)])


def test_a_change_of_exactly_the_tolerance_is_small():
    for rule in (SmallRise(0.5), SmallChange(0.5)):
        assert rule(rising(-3.0, -2.0))


def test_rules_answer_with_truth_values():
    for rule in (SmallRise(9.0), SmallChange(9.0), SmallGain(9.0), never):
        assert rule([]) is False
