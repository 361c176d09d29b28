import numpy as np
import pytest

from driftline.smoothing.reading_windows import drawn, reading_bandwidths


def test_candidates_lie_between_what_can_be_seen_and_a_fifth_of_the_span():
    found = reading_bandwidths(np.arange(1201.0))
    assert found[0] == pytest.approx(20.0)
    assert found[-1] == pytest.approx(240.0)
    assert len(found) == 12
    assert reading_bandwidths(np.arange(81.0))[0] == pytest.approx(2.0)
    assert reading_bandwidths(np.arange(81.0), at_least=7.0)[0] == 7.0


def test_weekends_without_documents_do_not_break_the_line():
    workdays = np.array([day for day in range(100) if day % 7 < 5], dtype=float)
    narrowest = reading_bandwidths(workdays)[0]
    for at in np.arange(3.0, 90.0, 0.25):
        assert (np.abs(workdays - at) < narrowest).sum() >= 3


@pytest.mark.parametrize("times", [[], [5.0], [5.0, 5.0], [1.0, 2.0], [1.0, 2.0, 3.0]])
def test_few_units_have_one_candidate(times):
    found = reading_bandwidths(np.array(times))
    assert len(found) == 1
    assert found[0] > 0


def test_nothing_is_drawn_where_few_units_lie():
    times = np.array([0.0, 1, 2, 3, 50, 51, 97, 98, 99])
    np.testing.assert_array_equal(drawn(times, np.array([1.0, 25, 50, 98]), 3.0), [True, False, False, True])
    assert drawn(times[:2], np.array([0.0]), 3.0).all()
