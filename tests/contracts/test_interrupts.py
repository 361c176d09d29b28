"""Every estimator survives interrupts."""

from __future__ import annotations

import pytest

from tests.contracts.estimators import ESTIMATORS, Contract
from tests.contracts.interrupts import check_interrupted_fit, check_interrupted_partial_fit

pytestmark = [
    pytest.mark.filterwarnings("ignore::driftline.core.errors.OutsideSupportWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    # An interrupt inside a generator that is being discarded cannot be raised to a caller.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
contracts = pytest.mark.parametrize("contract", ESTIMATORS, ids=[contract.name for contract in ESTIMATORS])


@contracts
@pytest.mark.parametrize("check", [check_interrupted_fit, check_interrupted_partial_fit], ids=["fit", "partial_fit"])
def test_an_interrupt_leaves_it_as_it_was(contract: Contract, check):
    check(contract)
