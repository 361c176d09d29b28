from __future__ import annotations

import copy

import numpy as np
import pytest
from tests.oracles.stories import den_stream

import driftline
from driftline import DenStream
from driftline.core.errors import InvalidInput, UnorderedTimes

# The order of the documents is their time, which is what most of these tests mean
pytestmark = pytest.mark.filterwarnings("ignore::driftline.core.errors.TimesAssumedWarning")


def drifting(seed, n=160):
    rng = np.random.default_rng(seed)
    which = rng.integers(0, 3, n)
    centres = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
    rows = centres[which] + np.arange(n)[:, None] * [0.01, 0.0] + rng.normal(0, 0.5, (n, 2))
    rows[rng.integers(0, n, 8)] += 20
    return rows, np.cumsum(rng.exponential(1.0, n))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("half_life", [15.0, 60.0])
def test_micro_clusters_are_those_of_raw_rows(seed, half_life):
    rows, times = drifting(seed)
    model = DenStream(radius=1.0, min_weight=6.0, outlier_share=0.4, half_life=half_life).fit(rows, times=times)
    potential, outliers = den_stream(rows, times, 1.0, 6.0, 0.4, half_life)
    ages = [2 ** (-(times[-1] - times[members]) / half_life) for members in potential]
    expected = sorted(f.sum() for f in ages)
    assert sorted(model.weights_) == pytest.approx(expected)
    centres = sorted(tuple((f[:, None] * rows[m]).sum(axis=0) / f.sum()) for f, m in zip(ages, potential))
    assert np.array(sorted(map(tuple, model.centers_))) == pytest.approx(np.array(centres))
    assert model.n_outlier_clusters_ == len(outliers)
    assert len(potential) > 2


def test_clusters_are_found_and_outliers_have_none():
    rng = np.random.default_rng(0)
    which = rng.integers(0, 3, 600)
    rows = np.array([[0, 0], [9, 0], [0, 9]])[which] + rng.normal(0, 0.7, (600, 2))
    model = DenStream(radius=1.0).fit(rows)
    assert model.n_clusters_ == 3
    found = model.predict([[0, 0], [9, 0], [0, 9], [50, 50]])
    assert sorted(found[:3].tolist()) == [0, 1, 2]
    assert found[3] == -1
    assert (model.radii_ <= 1.0).all()


def test_a_cluster_without_new_rows_is_removed():
    rows = np.random.default_rng(0).normal(np.repeat([[0.0], [9.0]], 200, axis=0), 0.3)
    model = DenStream(radius=1.0, half_life=20.0).fit(rows)
    assert model.n_clusters_ == 1
    assert model.predict([[0.0]]).tolist() == [-1]


def test_updates_are_parts_and_a_saved_model_continues(tmp_path):
    rows, times = drifting(4)
    options = {"radius": 1.0, "min_weight": 6.0, "outlier_share": 0.4, "half_life": 30.0}
    whole, one = DenStream(**options).fit(rows, times=times), DenStream(**options)
    for row, time in zip(rows[:90], times[:90]):
        one.update(row, time)
    one = driftline.load(one.save(tmp_path / "model")).partial_fit(rows[90:], times=times[90:])
    assert np.array_equal(one.centers_, whole.centers_)
    assert np.array_equal(one.weights_, whole.weights_)


def test_bad_input_is_named():
    with pytest.raises(InvalidInput, match="above 1"):
        DenStream(min_weight=2.0).fit([[1.0]])
    with pytest.raises(InvalidInput, match="half-life"):
        DenStream(half_life=0.0).fit([[1.0]])
    with pytest.raises(UnorderedTimes):
        DenStream().fit([[1.0], [2.0]], times=[2.0, 1.0])
    assert DenStream().fit([[1.0]]).labels_.tolist() == [-1]


def test_outliers_are_rows_that_can_join_no_potential_micro_cluster():
    rows, _ = drifting(5)
    model = DenStream(radius=1.0, min_weight=6.0, outlier_share=0.4, half_life=1e9, outliers="radius").fit(rows)
    new = np.random.default_rng(1).uniform(-3, 9, (90, 2))
    nearest = ((new[:, None] - model.centers_) ** 2).sum(axis=2).argmin(axis=1)
    new = new[model.cluster_labels_[nearest] >= 0]  # others have no cluster even where they are taken in
    labels = model.predict(new)
    taken = []
    for row in new:
        again = copy.deepcopy(model)
        again.update(row)
        taken.append(np.isclose(again.weights_.sum(), model.weights_.sum() + 1.0))
        if again.n_outlier_clusters_ < model.n_outlier_clusters_:
            taken[-1] = False  # an outlier micro-cluster took it in, and became potential
    assert 5 < sum(taken) < len(new) - 5
    np.testing.assert_array_equal(labels >= 0, taken)


def test_rows_of_a_drifting_cluster_belong_to_it():
    rng = np.random.default_rng(0)
    rows = rng.normal(0, 0.6, (400, 5)) + np.arange(400)[:, None] * 0.004
    model = DenStream(radius=2.0, half_life=400.0, outliers="radius").fit(rows[:300])
    within = DenStream(radius=2.0, half_life=400.0).fit(rows[:300])
    shares = [(each.predict(rows[300:]) >= 0).mean() for each in (model, within)]
    assert shares[0] > 0.9
    assert shares[0] > shares[1]
