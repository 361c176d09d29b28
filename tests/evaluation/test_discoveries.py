from driftline.evaluation import compare_discoveries


def test_claims_are_sorted_into_true_and_false_in_their_order():
    result = compare_discoveries(["c", "x", "a"], ["a", "b", "c"])
    assert (result.found, result.missed, result.false_alarms) == (["c", "a"], ["b"], ["x"])
    assert result.false_discovery_rate == 1 / 3
    assert result.recall == 2 / 3


def test_nothing_claimed_and_nothing_true():
    assert compare_discoveries([], []) == ([], [], [], 0.0, 1.0)
