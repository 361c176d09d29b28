import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression

from driftline.local.forward.reach import Reach
from driftline.local.forward.reach_fit import ABSENT_ODDS, averaged, class_scores, fit_reach, log_losses
from driftline.local.logistic.local_fit import Linear, Objective, Training
from driftline.smoothing.kernels import Kernel

OBJECTIVE = Objective(Kernel("tricube", "past"), 2.0, tol=1e-8)
ALL = Reach("all", np.inf)


def drifting(n_classes, n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = (X @ rng.normal(size=(4, n_classes)) + rng.gumbel(size=(n, n_classes))).argmax(axis=1)
    return Training(sp.csr_matrix(X), y, np.arange(float(n)), 1 if n_classes == 2 else n_classes)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("reach", [ALL, Reach("documents", 120), Reach("time", 80.0)])
def test_a_window_is_the_regression_of_its_documents(n_classes, reach):
    training = drifting(n_classes)
    first, weights = reach.weights(training.times)
    peer = LogisticRegression(C=2.0, tol=1e-10, max_iter=5000)
    peer.fit(training.X[first:], training.labels[first:], sample_weight=weights)
    ours = class_scores(training.X, fit_reach(training, reach, OBJECTIVE).model)
    expected = peer.predict_log_proba(training.X)
    found = ours - np.logaddexp.reduce(ours, axis=1, keepdims=True)
    assert np.allclose(found, expected, atol=1e-4)


def test_falling_weights_are_shrunk_towards_the_fit_to_all():
    training = drifting(3)
    base = fit_reach(training, ALL, OBJECTIVE).model
    strong = Objective(Kernel("tricube", "past"), 1e-9, tol=1e-10)
    near = fit_reach(training, Reach("kernel", 50.0), strong, None, base).model
    assert np.allclose(near.coefficients, base.coefficients, atol=1e-5)
    free = fit_reach(training, Reach("kernel", 50.0), OBJECTIVE, None, base).model
    assert not np.allclose(free.coefficients, base.coefficients, atol=1e-2)


def test_a_class_absent_from_the_window_is_remembered():
    """Every class has a word; documents of the third are all old."""
    labels = np.concatenate([np.arange(150) % 3, np.arange(150) % 2])
    training = Training(sp.csr_matrix(np.eye(3)[labels]), labels, np.arange(300.0), 3)
    base = fit_reach(training, ALL, OBJECTIVE).model
    chances = {}
    for name, centre in (("forgotten", None), ("remembered", base)):
        model = fit_reach(training, Reach("documents", 150), OBJECTIVE, None, centre).model
        scores = class_scores(sp.csr_matrix(np.eye(3)[[2]]), model)
        chances[name] = np.exp(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))[0, 2]
    assert chances["remembered"] > 0.5 > chances["forgotten"]


def present_deviations(X, labels, base, C):
    """The oracle: minimise the loss of the present classes and the penalty of deviations from `base`, by BFGS."""
    present = np.unique(labels)
    rows = np.column_stack([X, np.ones(len(X))])
    within = np.column_stack([base.coefficients, base.intercepts])[present]
    codes = np.searchsorted(present, labels)

    def objective(flat):
        deviations = flat.reshape(within.shape)
        chances = log_softmax(rows @ (within + deviations).T, axis=1)
        return -chances[np.arange(len(codes)), codes].sum() + (deviations**2).sum() / (2 * C)

    return minimize(objective, np.zeros(within.size), options={"gtol": 1e-7}).x.reshape(within.shape)


@pytest.mark.parametrize("reach", [Reach("documents", 100), Reach("time", 90.0)])
def test_only_present_classes_are_fitted_and_absent_ones_keep_half_of_their_odds(reach):
    every = drifting(4)
    training = every.rows((every.labels != 1) | (every.times < 150))
    base = fit_reach(training, ALL, OBJECTIVE).model
    first, _ = reach.weights(training.times)
    expected = present_deviations(training.X[first:].toarray(), training.labels[first:], base, OBJECTIVE.C)
    model = fit_reach(training, reach, OBJECTIVE, None, base).model
    present = [0, 2, 3]
    found = np.column_stack([model.coefficients - base.coefficients, model.intercepts - base.intercepts])
    assert np.allclose(found[present], expected, atol=1e-3)
    assert np.allclose(found[present].sum(axis=0), 0.0, atol=1e-5), "together they keep their level"
    assert np.allclose(found[1], [0, 0, 0, 0, np.log(ABSENT_ODDS)])


def test_a_window_of_one_class_is_the_fit_to_all_with_lower_odds_of_the_others():
    for n_classes, only in ((2, 0), (2, 1), (3, 1)):
        every = drifting(n_classes)
        training = every.rows((every.labels == only) | (every.times < 200))
        base = fit_reach(training, ALL, OBJECTIVE).model
        model = fit_reach(training, Reach("time", 80.0), OBJECTIVE, None, base).model
        change = class_scores(training.X, model) - class_scores(training.X, base)
        others = np.delete(change, only, axis=1) - change[:, [only]]
        assert np.allclose(others, np.log(ABSENT_ODDS))


def test_an_earlier_solution_changes_the_path_not_the_end():
    training = drifting(3)
    before = fit_reach(training, Reach("documents", 60), OBJECTIVE).model
    cold = fit_reach(training, Reach("documents", 200), OBJECTIVE).model
    warm = fit_reach(training, Reach("documents", 200), OBJECTIVE, before).model
    assert np.allclose(cold.coefficients, warm.coefficients, atol=1e-5)


def test_scores_are_averaged():
    first, second = Linear(np.ones((1, 2)), np.zeros(1)), Linear(3 * np.ones((1, 2)), np.ones(1))
    mean = averaged([first, second])
    assert mean.coefficients.tolist() == [[2.0, 2.0]]
    assert mean.intercepts.tolist() == [0.5]


def test_losses_are_negative_log_probabilities():
    scores = np.log(np.array([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]))
    assert np.allclose(log_losses(scores, np.array([0, 1])), [-np.log(0.5), -np.log(0.1)])
    assert log_losses(np.stack([scores, scores]), np.array([0, 1])).shape == (2, 2)
