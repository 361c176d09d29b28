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
    np.testing.assert_allclose(evidence.scores, np.array(expected) / np.sqrt(3), rtol=1e-12)
    above_chance = [pair_evidence(one, np.full_like(one, 0.5), positive) for one in each]
    assert evidence.signal_ == pytest.approx(max(above_chance), rel=1e-12)


def test_with_few_labels_of_a_class_the_plainest_member_orders_alone():
    evidence = RankingEvidence().begin((0.85, 0.0, 0.6))
    better = [np.ones((9, 1)), np.zeros((9, 1)), np.zeros((9, 1))]
    assert evidence.trust == (1, 0.0)
    evidence.add_forecasts([np.arange(9.0)[:, None] * sign for sign in (-1, 1, 1)], np.arange(9)[:, None] < 3)
    evidence.compare_placements(better, np.arange(9)[:, None] < 3)
    assert evidence.trust == (1, 0.0)
    evidence.compare_placements(better, np.arange(9)[:, None] < 4)
    assert evidence.trust == (0, pytest.approx((0.5 * np.sqrt(2 * 4 * 5) - 2) / 2))


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
    np.testing.assert_allclose(evidence.scores, expected / np.sqrt(3), rtol=1e-12)


def test_one_class_or_no_label_says_nothing():
    evidence = RankingEvidence().begin((0.0, 0.6))
    evidence.add_forecasts([np.zeros((3, 1)), np.ones((3, 1))], np.ones((3, 1), dtype=np.bool_))
    evidence.add_forecasts([np.zeros((0, 1)), np.ones((0, 1))], np.ones((0, 1), dtype=np.bool_))
    assert not evidence.forecast_squares_.any()


@pytest.mark.parametrize("z", [-9.0, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 9.0])
def test_weight_follows_the_evidence(z):
    evidence = RankingEvidence().begin((0.0, 0.6, 0.85))
    evidence.pair_scores_, evidence.n_compared_ = np.sqrt(3) * np.array([0.0, z - 1, z]), 1
    evidence.signal_ = 4.0
    weight = min(max(z / 2, 0.0), 1.0)
    assert evidence.trust.weight == pytest.approx(weight)
    assert weight == 0 or evidence.trust.member == 2


@pytest.mark.parametrize(
    ("signal", "share"), [(-3.0, 0.0), (0.0, 0.0), (2.0, 0.0), (2.5, 0.25), (4.0, 1.0), (9.0, 1.0)]
)
def test_what_ranks_no_better_than_chance_is_not_trusted(signal, share):
    evidence = RankingEvidence().begin((0.0, 0.6))
    evidence.pair_scores_, evidence.n_compared_, evidence.signal_ = np.array([0.0, 9.0]), 1, signal
    assert evidence.trust.weight == pytest.approx(share)


def test_noise_moves_the_order_less_than_signal_does():
    """Placements around ½ that happen to differ, and the same differences between members that rank well."""
    rng = np.random.default_rng(3)
    positive = np.arange(60)[:, None] % 2 == 0
    plain = rng.uniform(0.35, 0.65, (60, 1))
    better = plain + rng.uniform(0.0, 0.1, (60, 1)) - 0.02
    weights = []
    for level in (0.0, 0.25):
        evidence = RankingEvidence().begin((0.0, 0.6))
        evidence.compare_placements([plain + level - 0.03, better + level - 0.03], positive)
        weights.append(evidence.trust.weight)
    assert weights[0] < 0.1
    assert weights[1] > 0.3


def test_where_pairs_were_not_left_out_forecasts_decide():
    evidence = RankingEvidence().begin((0.0, 0.6))
    positive = np.arange(20)[:, None] % 2 == 0
    for _ in range(30):
        evidence.add_forecasts([np.zeros((20, 1)), positive.astype(np.float64)], positive)
    evidence.compare_placements([np.full((20, 1), 0.5)] * 2, positive)
    assert evidence.trust == (1, 1.0)


def test_a_frame_can_be_taken_back():
    each, positive = placements(seed=2)
    evidence = RankingEvidence().begin((0.0, 0.6, 0.85))
    evidence.compare_placements(each, positive)
    evidence.add_forecasts(each, positive)
    before, signal = evidence.scores, evidence.signal_
    evidence.begin_frame()
    for _ in range(2):
        evidence.compare_placements([0.9 * one for one in each[::-1]], positive)
        evidence.add_forecasts(each[::-1], positive)
        assert (evidence.scores != before).any()
        assert evidence.signal_ != signal
        evidence.restart_frame()
        np.testing.assert_array_equal(evidence.scores, before)
        assert evidence.signal_ == signal


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
