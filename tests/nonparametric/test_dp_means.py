from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.oracles.partitions import all_partitions

from driftline.inference.run import run
from driftline.inference.stopping import LittleMoved, Stop
from driftline.nonparametric import dp_means as dp_means_module
from driftline.nonparametric.dp_means import chosen_penalty, dp_means
from driftline.nonparametric.gaussian_items import Rows

RNG = np.random.default_rng(0)


def rows_of(X):
    return Rows.of(np.asarray(X, dtype=float), np.zeros(X.shape[1]), np.ones(X.shape[1]), 1.0)


def cost_of(X, labels, penalty):
    labels = np.array(labels)
    spread = sum(((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum() for k in np.unique(labels))
    return spread + penalty * len(np.unique(labels))


def test_the_cost_never_increases_and_is_that_of_the_labels():
    X = RNG.normal(size=(60, 3)) + RNG.integers(0, 3, 60)[:, None] * 4
    for penalty in (0.5, 3.0, 50.0):
        done = run(dp_means(penalty), rows_of(X), stop=Stop(50, LittleMoved(0.0, first=2)), rng=0)
        assert (np.diff(-done.objective[0]) <= 1e-9).all()
        assert done.result.cost == pytest.approx(cost_of(X, done.result.labels, penalty))


def test_well_separated_points_reach_the_least_cost_of_all_partitions():
    X = np.array([[0.0], [0.3], [5.0], [5.2], [9.0]])
    found = run(dp_means(1.0), rows_of(X), stop=Stop(50, LittleMoved(0.0, first=2)), rng=0).result
    assert found.cost == pytest.approx(min(cost_of(X, labels, 1.0) for labels in all_partitions(5)))


def test_the_penalty_leaves_as_many_clusters_as_expected():
    X = np.array([[a, b] for a, b in itertools.product((0.0, 10.0), repeat=2)] * 5) + RNG.normal(size=(20, 2)) * 0.1
    penalty = chosen_penalty(rows_of(X), 1.1)  # 3.8 clusters are expected
    assert 0 < penalty < 100
    found = run(dp_means(penalty), rows_of(X), stop=Stop(50, LittleMoved(0.0, first=2)), rng=0).result
    assert 4 <= len(found.centres) <= 8


def test_a_penalty_below_the_rounding_error_of_distances_ends(monkeypatch):
    calls, distances = itertools.count(), dp_means_module._distances

    def counted(points, centres):
        if next(calls) > 200:
            raise AssertionError("centres are added without end")
        return distances(points, centres)

    monkeypatch.setattr(dp_means_module, "_distances", counted)
    X = RNG.normal(size=(20, 3)) * 1e7
    found = run(dp_means(1e-9), rows_of(X), stop=Stop(2), rng=0).result
    assert len(found.centres) == 20
