import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score

from driftline.core.errors import InvalidInput
from driftline.streams.splits import row_at, row_of_share, time_folds

DATES = np.array(["2003-03-19", "2003-03-20", "2003-03-20", "2003-03-21"], dtype="datetime64[us]")


@pytest.mark.parametrize(
    ("time", "row"),
    [
        ("2003-03-20", 1),
        ("2003-03-20T00:00:01", 3),
        ("2003-03-20T00:00:00+01:00", 1),
        ("2003-03", 0),
        (datetime.date(2003, 3, 21), 3),
        (datetime.datetime(2003, 3, 20, tzinfo=datetime.UTC), 1),
        (np.datetime64("2003-03-22"), 4),
    ],
)
def test_a_date_cuts_before_the_first_document_that_is_not_older(time, row):
    assert row_at(DATES, time) == row


def test_numbers_are_cut_by_numbers():
    assert row_at(np.array([0.0, 1.0, 1.0, 2.0]), 1) == 1


@pytest.mark.parametrize(("times", "time"), [(DATES, 3.0), (DATES, "soon"), (np.array([1.0]), "2003-03-20")])
def test_times_of_another_kind_are_errors(times, time):
    with pytest.raises(InvalidInput, match=r"times"):
        row_at(times, time)


TIMES = st.lists(st.integers(0, 20), min_size=2, max_size=60).filter(lambda times: len(set(times)) > 1)


@given(TIMES, st.floats(0.01, 0.99))
def test_a_share_is_as_near_as_equal_times_allow(times, share):
    times = np.sort(np.array(times, dtype=np.float64))
    row = row_of_share(times, share)
    assert times[row - 1] < times[row]
    wanted = (1 - share) * len(times)
    allowed = [k for k in range(1, len(times)) if times[k - 1] < times[k]]
    assert abs(row - wanted) == min(abs(k - wanted) for k in allowed)


@given(TIMES, st.integers(1, 6))
def test_folds_train_strictly_before_they_test(times, n):
    if len(set(times)) <= n:
        with pytest.raises(InvalidInput, match="too few"):
            time_folds(times, n)
        return
    folds = time_folds(times, n)
    times = np.array(times)
    assert len(folds) == n
    tested = []
    for train, test in folds:
        assert len(train)
        assert len(test)
        assert times[train].max() < times[test].min()
        assert set(tested) <= set(train)
        tested.extend(test)
    assert sorted([*folds[0][0], *tested]) == list(range(len(times)))


def test_folds_serve_scikit_learn():
    rng = np.random.default_rng(0)
    X, times = rng.normal(size=(40, 2)), rng.permutation(40)
    assert len(cross_val_score(Ridge(), X, X[:, 0], cv=time_folds(times, 4))) == 4
    assert len(time_folds(times)) == 5


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5])
def test_shares_lie_between_0_and_1(share):
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        row_of_share(DATES, share)


def test_equal_times_cannot_be_split():
    with pytest.raises(InvalidInput, match="1 distinct times"):
        row_of_share(DATES[1:3], 0.5)
    with pytest.raises(InvalidInput, match="at least 1 fold"):
        time_folds(DATES, 0)
    with pytest.raises(InvalidInput, match="0 distinct times"):
        time_folds(np.array([], dtype=np.float64), 1)
