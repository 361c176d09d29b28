"""A stream as it arrives."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

import driftline
from driftline.core.errors import InvalidInput
from driftline.intensity.bursts.burst_watcher import IntensityWatcher


def training(seed=0, n=300):
    rng = np.random.default_rng(seed)
    y = np.array(["war", "sport", "money"])[rng.choice(3, n, p=[0.1, 0.5, 0.4])]
    X = np.column_stack([y == "war", y == "sport", y == "money"]) + rng.normal(0, 0.2, (n, 3))
    return X, y, np.datetime64("2003-01-01", "us") + (np.arange(n) * 3600e6).astype("timedelta64[us]")


def burst(n=40):
    """Documents of a class that was rare, every two minutes; then an ordinary week."""
    rng = np.random.default_rng(1)
    start = np.datetime64("2003-01-14", "us")
    times = start + (np.arange(n) * 120e6).astype("timedelta64[us]")
    later = times[-1] + (np.arange(1, 169) * 3600e6).astype("timedelta64[us]")
    rows = [[1.0, 0, 0]] * n + np.eye(3)[rng.choice([1, 2], 168)].tolist()
    return rows, np.concatenate([times, later])


def test_a_burst_is_announced_once_and_its_end_too():
    watcher = IntensityWatcher().fit(*training()[:2], times=training()[2])
    seen = [watcher.update(row, time) for row, time in zip(*burst())]
    assert [one.document for one in seen] == list(range(300, 508))
    assert [one.label for one in seen[:40]] == ["war"] * 40
    of_war = [(i, event) for i, one in enumerate(seen) for event in one.events if event.label == "war"]
    kinds = [event.kind for _, event in of_war]
    assert kinds[:2] == ["begins", "ends"]
    began, begin = of_war[0]
    ended, end = of_war[1]
    assert began < 10
    assert ended >= 40
    assert begin.probability >= 0.9
    assert end.probability <= 0.5
    assert end.since == begin.since == burst()[1][began]


def test_going_on_from_a_kept_state_is_going_on(tmp_path):
    X, y, times = training()
    rows, moments = burst()
    whole = IntensityWatcher().fit(X, y, times=times)
    straight = [whole.update(row, time) for row, time in zip(rows, moments)]
    first = IntensityWatcher().fit(X, y, times=times)
    first.save(tmp_path / "model")
    parts = [first.update(row, time) for row, time in zip(rows[:25], moments[:25])]
    kept = json.loads(json.dumps(first.live_state()))
    second = driftline.load(tmp_path / "model")
    second.resume(kept)
    parts += [second.update(row, time) for row, time in zip(rows[25:], moments[25:])]
    assert parts == straight


@pytest.mark.parametrize(
    "change",
    [
        {"count": [0, -1]},
        {"count": [0.5, 1]},
        {"count": [2**60, 1]},
        {"message": []},
        {"message": "x"},
        {"message": [["a"]]},
        {"clock": [None, 1.0]},
        {"clock": [float("nan"), 1.0]},
        {"seen": [[-1.0, 0.5]]},
        {"since": 3},
        {"since": [None]},
        {"since": ["x", None]},
        {"more": 1},
    ],
    ids=str,
)
def test_a_state_that_does_not_fit_is_refused_and_changes_nothing(change):
    X, y, times = training()
    watcher = IntensityWatcher().fit(X, y, times=times)
    watcher.update(X[0], times[-1])
    before = watcher.live_state()
    with pytest.raises(InvalidInput, match="live state"):
        watcher.resume({**before, **change})
    assert watcher.live_state() == before


def test_sparse_rows_and_unlabelled_training_documents():
    X, y, times = training()
    partly = y.astype(object)
    partly[::4] = None
    watcher = IntensityWatcher().fit(sp.csr_matrix(X), partly, times=times)
    found = watcher.update(sp.csr_matrix([[0.0, 1.0, 0.0]]), times[-1])
    assert found.label == "sport"
    assert 0.5 < found.probability <= 1


def test_an_end_above_the_beginning_is_refused():
    X, y, times = training()
    with pytest.raises(InvalidInput, match="must not exceed"):
        IntensityWatcher(begin=0.3, end=0.6).fit(X, y, times=times)


def test_a_clock_that_knows_only_the_day_is_not_trusted_between_documents():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.2, "war", "sport")
    X = np.column_stack([y == "war", y == "sport"]) + rng.normal(0, 0.1, (300, 2))
    by_day, by_hour = np.repeat(np.arange(10.0), 30), np.arange(300.0)
    coarse, fine = (IntensityWatcher().fit(X, y, times=times) for times in (by_day, by_hour))
    assert (coarse.tracker_.time, fine.tracker_.time) == ("index", "gap")
    assert coarse.tracker_.transition == 2 / 300
    assert IntensityWatcher(time="gap", transition=0.1).fit(X, y, times=by_day).tracker_.time == "gap"

    def alarms(watcher):
        seen = [watcher.update(row, 11.0 + i // 30) for i, row in enumerate(X)]
        return sum(event.kind == "begins" for each in seen for event in each.events)

    eager = IntensityWatcher(time="gap", transition=0.05).fit(X, y, times=by_day)
    assert alarms(coarse) == 0, "nothing happens in this stream"
    assert alarms(eager) > 5, "every day begins with a burst if its documents are taken to come at once"


def test_labels_may_be_an_arrow_array_with_nulls():
    X, y, times = training()
    unknown = np.arange(len(y)) % 5 == 0
    given = [pa.array(y, mask=unknown), np.where(unknown, None, y)]
    first, second = (IntensityWatcher().fit(X, labels, times=times) for labels in given)
    np.testing.assert_array_equal(first.tracker_.topic_proba_, second.tracker_.topic_proba_)
    assert (first.tracker_.topic_proba_[~unknown].max(axis=1) == 1).all()
