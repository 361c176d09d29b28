"""Every estimator passes scikit-learn's own checks, but for those that its contract names with a reason."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from sklearn.exceptions import SkipTestWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.contracts.estimators import ESTIMATORS


def _ready() -> dict[int, tuple[Any, dict[str, str]]]:
    """Return the instances that can be made; the contract tests fail for those that cannot."""
    ready = {}
    for contract in ESTIMATORS:
        try:
            estimator = contract.make()
        except Exception:
            continue
        ready[id(estimator)] = (estimator, dict(contract.fails))
    return ready


_READY = _ready()

with warnings.catch_warnings():
    # scikit-learn has no checks for estimators whose X is not two-dimensional; driftline's own contract covers them.
    warnings.simplefilter("ignore", SkipTestWarning)
    lazy = parametrize_with_checks(
        [estimator for estimator, _ in _READY.values()],
        expected_failed_checks=lambda estimator: _READY[id(estimator)][1],
        xfail_strict=True,
    )
    # Before version 9, pytest would go through the generator during collection, where this warning is an error.
    checks = pytest.mark.parametrize(lazy.args[0], list(lazy.args[1]), **lazy.kwargs)


@pytest.mark.filterwarnings("ignore::driftline.core.errors.OutsideSupportWarning")
@pytest.mark.filterwarnings("ignore::driftline.core.errors.TimesAssumedWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@checks
def test_sklearn_check(estimator, check):
    check(estimator)
