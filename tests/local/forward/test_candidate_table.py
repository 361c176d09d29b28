import math

from driftline.local.forward.candidate_table import as_dict, lead_in_words
from driftline.local.forward.reach import Reach
from driftline.local.forward.rolling_origin import Plan, Scored
from driftline.smoothing.unit_mean import Interval


def test_a_candidate_is_plain_values():
    reaches = (Reach("all", math.inf), Reach("documents", 500))
    plan = Plan("average", reaches, (1.0, 10.0), 1.0)
    scored = Scored(plan, 0.9, 0.3, Interval(-0.02, -0.03, -0.01), Interval(0.1, 0.0, 0.2), 0.4)
    found = as_dict(scored, dated=True)
    assert found["name"] == "average of 2 fits"
    assert found["parts"] == ["all documents", "last 500 documents"]
    assert (found["C"], found["wins"]) == ([1.0, 10.0], 0.4)
    assert lead_in_words(found) == "2.0 points of accuracy ahead (1.0 to 3.0)"
