import numpy as np
import pytest
from scipy.stats import spearmanr

from driftline.evolving.frames.frame_data import class_probabilities
from driftline.evolving.pool import ordered_level
from driftline.evolving.pool.ordered_level import OrderedLevel
from driftline.evolving.pool.ranking_evidence import Trust


def made(n=40, n_columns=1, seed=0):
    """Scores of three members, and a mixture that has nothing to do with them."""
    rng = np.random.default_rng(seed)
    scores = [rng.normal(m, 1 + m, size=(n, n_columns)) for m in range(3)]
    mixture = class_probabilities(rng.normal(size=(n, n_columns)), max(n_columns, 2))
    return scores, mixture


def order(scores, weight):
    plain, other = ((scores[m] - scores[m].mean(axis=0)) / scores[m].std(axis=0) for m in (0, 2))
    return (1 - weight) * plain + weight * other


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_sorted_probabilities_are_handed_out_in_the_order(weight):
    scores, mixture = made()
    level = OrderedLevel().begin()
    level.learn(scores, mixture, 0, Trust(2, weight))
    found = level.probabilities(scores, mixture)
    np.testing.assert_allclose(np.sort(found[:, 1]), np.sort(mixture[:, 1]), rtol=1e-9)
    np.testing.assert_array_equal(np.argsort(found[:, 1]), np.argsort(order(scores, weight)[:, 0]))
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_documents_that_tie_share_their_places():
    scores, mixture = made(n=6)
    scores = [one[[0, 1, 2, 0, 1, 2]] for one in scores]
    level = OrderedLevel().begin()
    level.learn(scores, mixture, 0, Trust(2, 0.5))
    found = level.probabilities(scores, mixture)[:, 1]
    np.testing.assert_array_equal(found[:3], found[3:])
    assert found.sum() == pytest.approx(mixture[:, 1].sum())


def test_other_documents_keep_the_order_beyond_the_ends_too():
    scores, mixture = made()
    level = OrderedLevel().begin()
    level.learn(scores, mixture, 0, Trust(2, 0.5))
    far = [np.linspace(-30.0, 30.0, 200)[:, None]] * 3
    found = level.probabilities(far, np.full((200, 2), 0.5))[:, 1]
    assert (np.diff(found) > 0).all()
    between = [one[:2].mean(axis=0, keepdims=True) for one in scores]
    low, high = np.sort(level.probabilities(scores, mixture)[:2, 1])
    assert low <= level.probabilities(between, mixture[:1])[0, 1] <= high


def test_every_class_has_its_own_order():
    scores, mixture = made(n_columns=3)
    level = OrderedLevel().begin()
    level.learn(scores, mixture, 0, Trust(2, 1.0))
    found = level.probabilities(scores, mixture)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    for c in range(3):
        assert spearmanr(found[:, c], scores[2][:, c]).statistic > 0.7


def test_knots_are_few_and_the_order_stays(monkeypatch):
    scores, mixture = made(n=500)
    monkeypatch.setattr(ordered_level, "MOST_KNOTS", 50)
    level = OrderedLevel().begin()
    level.learn(scores, mixture, 0, Trust(2, 0.5))
    assert len(level.knots_[0]) == 50
    found = level.probabilities(scores, mixture)[:, 1]
    np.testing.assert_array_equal(np.argsort(found), np.argsort(order(scores, 0.5)[:, 0]))
    assert np.abs(np.sort(found) - np.sort(mixture[:, 1])).max() < 0.05


def test_without_documents_the_mixture_stands():
    scores, mixture = made()
    level = OrderedLevel().begin()
    np.testing.assert_array_equal(level.probabilities(scores, mixture), mixture)
    level.learn([one[:0] for one in scores], mixture[:0], 0, Trust(2, 0.5))
    np.testing.assert_array_equal(level.probabilities(scores, mixture), mixture)
    assert level.linear_function(scores) is None


def test_equal_scores_give_the_mean_level():
    mixture = np.array([[0.2, 0.8], [0.6, 0.4]])
    level = OrderedLevel().begin()
    level.learn([np.zeros((2, 1))] * 3, mixture, 0, Trust(0, 0.0))
    np.testing.assert_allclose(level.probabilities([np.zeros((2, 1))] * 3, mixture)[:, 1], 0.6)


def test_the_linear_function_has_the_order_and_the_spread_of_the_level():
    rng = np.random.default_rng(3)
    functions = [rng.normal(size=(8, 1)) for _ in range(3)]
    X = np.hstack([rng.normal(size=(300, 7)), np.ones((300, 1))])
    scores = [X @ function for function in functions]
    mixture = class_probabilities(rng.normal(1.0, 2.0, size=(300, 1)), 2)
    level = OrderedLevel().begin()
    level.learn(scores, mixture, 0, Trust(2, 0.4))
    linear = X @ level.linear_function(functions)
    np.testing.assert_array_equal(np.argsort(linear[:, 0]), np.argsort(order(scores, 0.4)[:, 0]))
    log_odds = np.log(mixture[:, 1] / mixture[:, 0])
    assert linear.mean() == pytest.approx(log_odds.mean(), abs=1e-9)
    assert linear.std() == pytest.approx(log_odds.std(), rel=1e-9)
