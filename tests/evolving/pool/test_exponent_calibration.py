import numpy as np
import pytest

from driftline.evolving.pool.exponent_calibration import FLOOR, PRIOR, Calibration


def begun(n_classes=2, **options):
    calibration = Calibration(**options).begin()
    calibration.grow_classes(np.zeros(0, dtype=np.int64), n_classes)
    return calibration


def predictions(n, sharpness, seed=0):
    """Probabilities whose true odds are the `sharpness`-th power of those said."""
    rng = np.random.default_rng(seed)
    said = rng.dirichlet([1.0, 1.0], n)
    true = said**sharpness / (said**sharpness).sum(axis=1, keepdims=True)
    return said, (rng.random(n) < true[:, 1]).astype(np.int64)


@pytest.mark.parametrize("sharpness", [0.4, 1.0, 2.5])
def test_finds_the_exponent_that_was_there(sharpness):
    calibration = begun(memory=5000)
    calibration.learn(*predictions(4000, sharpness))
    assert calibration.exponent_ == pytest.approx(sharpness, rel=0.12)


def test_is_the_minimum_of_log_loss_and_prior():
    said, codes = predictions(30, 2.0)
    calibration = begun()
    calibration.learn(said, codes)

    def loss(log_exponent):
        powers = said ** np.exp(log_exponent)
        own = (powers / powers.sum(axis=1, keepdims=True))[np.arange(30), codes]
        return -np.log(own).sum() + PRIOR * log_exponent**2

    grid = np.linspace(-3, 3, 6001)
    assert np.log(calibration.exponent_) == pytest.approx(grid[np.argmin([loss(g) for g in grid])], abs=2e-3)


def test_few_predictions_move_it_little():
    calibration = begun()
    calibration.learn(np.array([[0.9, 0.1]]), np.array([1]))
    assert 0.5 < calibration.exponent_ < 1.0
    assert Calibration().begin().exponent_ == 1.0


def test_applied_probabilities_keep_their_order_and_sum_to_one():
    calibration = begun()
    calibration.exponent_ = 0.3
    raw = np.random.default_rng(1).dirichlet([1.0, 1.0, 1.0], 50)
    raw[0] = [1.0, 0.0, 0.0]
    found = calibration.apply(raw)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    np.testing.assert_array_equal(np.argsort(found, axis=1)[1:], np.argsort(raw, axis=1)[1:])
    assert found[0, 0] < 1.0
    np.testing.assert_array_equal(calibration.apply(np.ones((3, 1))), np.ones((3, 1)))


def test_forgets_the_oldest_and_can_take_back_a_frame():
    calibration = begun(memory=10)
    said, codes = predictions(25, 1.0)
    calibration.learn(said, codes)
    calibration.begin_frame()
    np.testing.assert_array_equal(calibration.codes_, codes[-10:])
    calibration.learn(said[:5], codes[:5])
    assert len(calibration.codes_) == 15
    calibration.restart_frame()
    np.testing.assert_array_equal(calibration.codes_, codes[-10:])
    np.testing.assert_allclose(calibration.logs_, np.log(said[-10:]))


def test_classes_are_added():
    calibration = begun()
    calibration.learn(np.array([[0.25, 0.75]]), np.array([1]))
    calibration.grow_classes(np.array([0, 2]), 3)
    np.testing.assert_allclose(calibration.logs_, [[np.log(0.25), np.log(FLOOR), np.log(0.75)]])
    assert calibration.codes_.tolist() == [2]
