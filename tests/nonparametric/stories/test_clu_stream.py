from __future__ import annotations

import numpy as np
import pytest
from tests.nonparametric.stories.test_den_stream import drifting
from tests.oracles.stories import clu_stream

import driftline
from driftline import CluStream
from driftline.core.errors import InvalidInput
from driftline.nonparametric.stories import clu_stream as module

# The order of the documents is their time, which is what most of these tests mean
pytestmark = pytest.mark.filterwarnings("ignore::driftline.core.errors.TimesAssumedWarning")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("horizon", [20.0, 1e6])
def test_micro_clusters_are_those_of_raw_rows(seed, horizon):
    rows, times = drifting(seed, n=120)
    model = CluStream(n_clusters=2, n_micro_clusters=8, horizon=horizon, n_relevant=3, random_state=0)
    model.fit(rows, times=times)
    expected = clu_stream(rows, times, 8, 2.0, horizon, 3)
    assert model.weights_.tolist() == [len(members) for members in expected]
    assert model.centers_ == pytest.approx(np.array([rows[members].mean(axis=0) for members in expected]))
    spreads = [np.sqrt(((rows[m] - rows[m].mean(axis=0)) ** 2).sum(axis=1).mean()) for m in expected]
    assert model.radii_ == pytest.approx(spreads, abs=1e-6)


def test_clusters_of_a_recent_period_leave_out_earlier_rows():
    rng = np.random.default_rng(0)
    rows = rng.normal(np.repeat([[0.0, 0.0], [9.0, 9.0]], 400, axis=0), 0.5)
    model = CluStream(n_clusters=1, n_micro_clusters=20, precision=4, random_state=0).fit(rows)
    assert model.cluster_centers_[0] == pytest.approx([4.5, 4.5], abs=0.3)
    assert model.centers_over(300)[0] == pytest.approx([9.0, 9.0], abs=0.3)
    assert model.centers_over(1e6)[0] == pytest.approx(model.cluster_centers_[0])


def test_snapshots_are_few_and_cover_every_order():
    model = CluStream(n_micro_clusters=5, precision=1, random_state=0).fit(
        np.random.default_rng(0).normal(size=(256, 2))
    )
    numbers = [snapshot["number"] for snapshot in model._snapshots_]
    for order in range(9):
        due = [n for n in range(1, 257) if (n & -n) == 2**order]
        assert [n for n in numbers if (n & -n) == 2**order] == due[-3:]


def test_mergers_that_no_snapshot_needs_are_dropped(monkeypatch):
    rows = np.random.default_rng(1).uniform(-9, 9, size=(600, 2))
    usual = CluStream(n_clusters=3, n_micro_clusters=10, horizon=1e6, random_state=0).fit(rows)
    monkeypatch.setattr(module, "MOST_MERGERS", 20)
    short = CluStream(n_clusters=3, n_micro_clusters=10, horizon=1e6, random_state=0).fit(rows)
    assert len(short._merged_) < len(usual._merged_)
    assert np.array_equal(short.centers_over(200), usual.centers_over(200))


def test_updates_are_parts_and_a_saved_model_continues(tmp_path):
    rows, times = drifting(4)
    options = {"n_clusters": 3, "n_micro_clusters": 10, "random_state": 0}
    whole, one = CluStream(**options).fit(rows, times=times), CluStream(**options)
    for row, time in zip(rows[:50], times[:50]):
        one.update(row, time)
    one = driftline.load(one.save(tmp_path / "model")).partial_fit(rows[50:], times=times[50:])
    assert np.array_equal(one.centers_, whole.centers_)
    assert np.array_equal(one.predict(rows), whole.predict(rows))


def test_bad_input_is_named():
    with pytest.raises(InvalidInput, match="horizon"):
        CluStream(horizon=0.0).fit([[1.0], [2.0]])
    assert CluStream(random_state=0).fit([[1.0]]).labels_.tolist() == [0]
    assert set(CluStream(random_state=0).fit(np.ones((7, 2))).labels_) == {0}
