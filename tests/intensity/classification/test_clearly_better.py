"""Something simpler takes the place of the combination only if it errs clearly less."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.intensity.classification.clearly_better import clearly_better


def errors(n, *where):
    found = np.zeros(n, dtype=bool)
    found[list(where)] = True
    return found


def test_equal_numbers_of_errors_are_not_a_reason_to_change():
    assert clearly_better(errors(6, 0, 1), {"base": errors(6, 2, 3)}) is None
    assert clearly_better(errors(6), {"base": errors(6)}) is None


@pytest.mark.parametrize("seed", range(20))
def test_the_difference_is_held_against_the_square_root_of_the_discordant(seed):
    """As counted document by document."""
    rng = np.random.default_rng(seed)
    default, simpler = rng.random((2, 60)) < [[0.5], [0.3]]
    only_default = sum(a and not b for a, b in zip(default, simpler))
    only_simpler = sum(b and not a for a, b in zip(default, simpler))
    clear = only_default > only_simpler and (only_default - only_simpler) ** 2 > only_default + only_simpler
    assert clearly_better(default, {"base": simpler}) == ("base" if clear else None)


def test_the_number_of_standard_errors_can_be_raised():
    default, other = errors(20, *range(4)), errors(20)
    assert clearly_better(default, {"base": other}, 1.9) == "base"
    assert clearly_better(default, {"base": other}, 2.0) is None


def test_of_several_the_one_with_the_fewest_errors_and_of_equals_the_simplest():
    default = errors(20, *range(12))
    few, fewer = errors(20, 0, 1), errors(20, 0)
    assert clearly_better(default, {"base": few, "calibration": fewer}) == "calibration"
    assert clearly_better(default, {"base": few, "calibration": few}) == "base"
