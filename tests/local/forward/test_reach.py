import numpy as np

from driftline.local.forward.reach import FEWEST_DOCUMENTS, Reach, reaches


def test_weights_are_those_of_their_kind():
    times = np.array([0.0, 2.0, 4.0, 9.0])
    assert Reach("all", np.inf).weights(times)[0] == 0
    assert Reach("documents", 3).weights(times)[0] == 1
    assert Reach("documents", 9).weights(times)[0] == 0
    first, weights = Reach("time", 5.0).weights(times)
    assert (first, weights.tolist()) == (2, [1.0, 1.0])
    first, weights = Reach("kernel", 10.0).weights(times)
    assert first == 0
    assert np.all(np.diff(weights) > 0)
    assert np.isclose(weights[-1], 1.0)
    assert np.isclose(weights[1], (1 - 0.7**3) ** 3)


def test_every_candidate_has_enough_documents_and_differs_from_all():
    times = np.sort(np.random.default_rng(0).random(3000)) * 400
    found = reaches(times)
    assert {reach.kind for reach in found} == {"all", "documents", "time", "kernel"}
    for reach in found:
        first, weights = reach.weights(times)
        assert len(weights) == len(times) - first >= FEWEST_DOCUMENTS.get(reach.kind, 30)
        assert reach.kind in ("all", "kernel") or len(weights) < 0.9 * len(times)


def test_documents_at_one_time_or_few_of_them_leave_all_documents():
    assert [reach.kind for reach in reaches(np.zeros(50))] == ["all"]
    assert [reach.kind for reach in reaches(np.arange(20.0), ("documents",))] == ["all"]


def test_a_reach_is_described():
    assert Reach("time", 45.4).described(dated=True) == "last 45 days"
    assert Reach("time", 0.25).described(dated=True) == "last 6 h"
    assert Reach("kernel", 7.0).described(dated=False) == "weights falling over 7 units of time"
    assert Reach("all", np.inf).described(dated=True) == "all documents"
