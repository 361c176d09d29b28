import math

import pytest

from driftline.local.forward.reach import Reach
from driftline.local.forward.rolling_origin import Plan
from driftline.local.forward.saved_plan import as_saved, from_saved, is_plan

PLAN = Plan("average", (Reach("all", math.inf), Reach("time", 30.0, alone=True)), (1.0, 10.0), 1.0)
KINDS = ("all", "time", "average")


def test_a_plan_survives_being_saved():
    saved = as_saved(PLAN)
    assert from_saved(saved) == PLAN
    assert is_plan(saved, KINDS)


@pytest.mark.parametrize(
    "damaged",
    [
        ("average", [], [], 1.0),
        ("other", [("all", math.inf, False)], [1.0], 1.0),
        ("all", [("other", 3.0, False)], [1.0], 1.0),
        ("all", [("all", -1.0, False)], [1.0], 1.0),
        ("all", [("all", math.inf, False)], [1.0, 2.0], 1.0),
        ("all", [("all", math.inf, False)], [0.0], 1.0),
        ("all", [("all", math.inf, False)], [1.0], math.inf),
        ("all", [()], [1.0], 1.0),
        ("all", 3, [1.0], 1.0),
        None,
    ],
)
def test_damaged_plans_are_recognised(damaged):
    assert not is_plan(damaged, KINDS)
