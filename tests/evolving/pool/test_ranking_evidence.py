import numpy as np
import pytest
from tests.oracles.evolving import area_under_curve, pair_evidence

from driftline.evolving.pool.ranking_evidence import RankingEvidence


def placements(n=30, n_columns=1, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, max(n_columns, 2), n)
    positive = codes[:, None] == (np.array([1]) if n_columns == 1 else np.arange(n_columns))
    return [rng.uniform(size=(n, n_columns)) for _ in range(3)], positive


@pytest.mark.parametrize("n_columns", [1, 3])
def test_placements_are_compared_as_the_equation_says(n_columns):
    each, positive = placements(n_columns=n_columns)
    evidence = RankingEvidence().begin((0.0, 0.6, 0.85))
    evidence.compare_placements(each, positive)
    expected = [pair_evidence(one, each[0], positive) for one in each]
    np.testing.assert_allclose(evidence.pair_scores_, expected, rtol=1e-12)
    np.testing.assert_allclose(evidence.scores, np.array(expected) / np.sqrt(2), rtol=1e-12)


def test_with_few_labels_of_a_class_the_plainest_member_orders_alone():
    evidence = RankingEvidence().begin((0.85, 0.0, 0.6))
    better = [np.ones((9, 1)), np.zeros((9, 1)), np.zeros((9, 1))]
    assert evidence.trust == (1, 0.0)
    evidence.add_forecasts([np.arange(9.0)[:, None] * sign for sign in (-1, 1, 1)], np.arange(9)[:, None] < 3)
    evidence.compare_placements(better, np.arange(9)[:, None] < 3)
    assert evidence.trust == (1, 0.0)
    evidence.compare_placements(better, np.arange(9)[:, None] < 4)
    assert evidence.trust == (0, 1.0)


def test_one_member_orders_alone():
    evidence = RankingEvidence().begin((0.6,))
    each, positive = placements()
    evidence.compare_placements(each[:1], positive)
    assert evidence.trust == (0, 0.0)


def test_forecasts_add_up_over_frames():
    rng = np.random.default_rng(1)
    evidence = RankingEvidence().begin((0.6, 0.0, 0.85))
    total, squares = np.zeros(3), np.zeros(3)
    for _ in range(4):
        scores = [rng.normal(size=(12, 1)).round(1) for _ in range(3)]
        positive = np.arange(12)[:, None] % 3 == 0
        areas = np.array([area_under_curve(one[:, 0], positive[:, 0]) for one in scores])
        gains = (areas - areas[1]) * 4 * 8 / 12
        total, squares = total + gains, squares + np.maximum(gains**2, 0.02)
        evidence.add_forecasts(scores, positive)
    expected = total / np.sqrt(np.maximum(squares, 0.05))
    np.testing.assert_allclose(evidence.scores, expected / np.sqrt(2), rtol=1e-12)


def test_one_class_or_no_label_says_nothing():
    evidence = RankingEvidence().begin((0.0, 0.6))
    evidence.add_forecasts([np.zeros((3, 1)), np.ones((3, 1))], np.ones((3, 1), dtype=np.bool_))
    evidence.add_forecasts([np.zeros((0, 1)), np.ones((0, 1))], np.ones((0, 1), dtype=np.bool_))
    assert not evidence.forecast_squares_.any()


@pytest.mark.parametrize("z", [-9.0, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 9.0])
def test_weight_follows_the_evidence(z):
    evidence = RankingEvidence().begin((0.0, 0.6, 0.85))
    evidence.pair_scores_, evidence.n_compared_ = np.sqrt(2) * np.array([0.0, z - 1, z]), 1
    weight = min(max((z - 1) / 2 + 0.5, 0.0), 1.0)
    assert evidence.trust.weight == pytest.approx(weight)
    assert weight == 0 or evidence.trust.member == 2


def test_a_frame_can_be_taken_back():
    each, positive = placements(seed=2)
    evidence = RankingEvidence().begin((0.0, 0.6, 0.85))
    evidence.compare_placements(each, positive)
    evidence.add_forecasts(each, positive)
    before = evidence.scores
    evidence.begin_frame()
    for _ in range(2):
        evidence.compare_placements(each[::-1], positive)
        evidence.add_forecasts(each[::-1], positive)
        assert (evidence.scores != before).any()
        evidence.restart_frame()
        np.testing.assert_array_equal(evidence.scores, before)


def test_a_first_frame_taken_back_leaves_no_trust():
    evidence = RankingEvidence().begin((0.0, 0.6))
    positive = np.arange(12)[:, None] % 2 == 0
    scores = [np.zeros((12, 1)), positive.astype(np.float64)]
    evidence.add_forecasts(scores, positive)
    evidence.begin_frame()
    evidence.compare_placements([np.full((12, 1), 0.5), np.ones((12, 1))], positive)
    assert evidence.trust.weight > 0
    evidence.restart_frame()
    assert evidence.trust == (0, 0.0)
