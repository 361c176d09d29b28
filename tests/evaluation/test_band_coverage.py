from driftline.evaluation import band_coverage


def test_edges_of_the_band_count_as_inside():
    assert band_coverage([1.0, 2.0], [1.0, 2.5], [1.0, 3.0]) == 0.5
