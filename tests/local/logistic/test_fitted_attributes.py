"""The state of a fit as attributes, and back."""

import numpy as np
import pytest

from driftline.core.errors import InvalidInput
from driftline.local import LocalLogisticRegression
from driftline.local.logistic.fitted_attributes import PENALTIES
from driftline.local.logistic.fitted_path import POINTS


def _same(one, other):
    if isinstance(one, tuple):
        assert len(one) == len(other)
        for mine, theirs in zip(one, other):
            _same(mine, theirs)
    elif hasattr(one, "toarray"):
        np.testing.assert_array_equal(one.toarray(), other.toarray())
    elif isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_state_is_put_together_as_it_was_taken_apart(n_classes):
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, 60)
    X = rng.poisson(1.0 + 2.0 * np.eye(n_classes)[y])
    model = LocalLogisticRegression(bandwidth=20.0, grid=5).fit(X, y, times=np.arange(60.0))
    state = model._state
    assert state.n_outputs == (1 if n_classes == 2 else 3)
    other = LocalLogisticRegression(bandwidth=20.0, grid=5)
    other.classes_, other.bandwidth_, other.C_, other.global_C_ = (
        model.classes_, model.bandwidth_, model.C_, model.global_C_
    )  # fmt: skip
    other._keep(state, model._contest)
    again = other._state
    for name in ("training", "background", "path", "anchor", "newest", "remembered_since", "precision", "points"):
        _same(getattr(again, name), getattr(state, name))
        if isinstance(getattr(state, name), float | int):
            assert getattr(again, name) == getattr(state, name)
    np.testing.assert_array_equal(other.coef_, state.background.coefficients[-1])
    np.testing.assert_array_equal(other.intercept_, state.background.intercepts[-1])


@pytest.mark.parametrize(("penalty", "share"), [("l2", 0.0), ("l1", 1.0), ("elasticnet", 0.3)])
def test_the_penalty_is_a_share_of_the_lasso(penalty, share):
    model = LocalLogisticRegression(penalty=penalty, l1_ratio=0.3, tol=1e-3, max_iter=7)
    found = model._objective(2.5)
    assert (found.C, found.l1_ratio, found.tol, found.max_iter) == (2.5, share, 1e-3, 7)


def test_candidates_of_C():
    assert LocalLogisticRegression(C="cv")._penalties() == list(PENALTIES)
    assert LocalLogisticRegression(C=3)._penalties() == [3.0]
    assert LocalLogisticRegression(C=[10, 0.1, 10.0])._penalties() == [0.1, 10.0]
    for wrong in ([], [1.0, 0.0], (np.inf,)):
        with pytest.raises(InvalidInput, match="C must be positive"):
            LocalLogisticRegression(C=wrong)._penalties()


def test_number_of_fits_per_bandwidth():
    assert LocalLogisticRegression(grid="exact")._points == 0
    assert LocalLogisticRegression(grid=7)._points == 7
    assert LocalLogisticRegression(side="past")._points == POINTS["past"]
