from driftline.evaluation import band_coverage


def test_edges_of_the_band_count_as_inside():
    assert band_coverage([1.0, 2.0], [1.0, 2.5], [1.0, 3.0]) == 0.5


def test_points_without_a_truth_or_a_band_are_ignored():
    assert band_coverage([1.0, float("nan"), 1.0, None], [0.0, 0.0, None, 0.0], [2.0, 2.0, 2.0, 2.0]) == 1.0
    assert band_coverage([1.0, 3.0], [0.0], [2.0]) == 0.5  # one band for all points
