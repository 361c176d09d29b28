"""Every estimator keeps driftline's contract."""

from __future__ import annotations

import pytest

from tests.contracts.checks import CHECKS, check_awkward_data
from tests.contracts.estimators import ESTIMATORS, Contract
from tests.contracts.samples import AWKWARD, KINDS

# That a time lies outside of the data, or that so little data was not enough to converge, is worth a warning to a user.
pytestmark = [
    pytest.mark.filterwarnings("ignore::driftline.core.errors.OutsideSupportWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
contracts = pytest.mark.parametrize("contract", ESTIMATORS, ids=[contract.name for contract in ESTIMATORS])


@contracts
def test_it_is_declared_properly(contract: Contract):
    assert contract.data in KINDS
    assert contract.make().get_params(deep=False).keys() >= contract.parameters.keys()


@contracts
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_contract(contract: Contract, check):
    check(contract)


@contracts
@pytest.mark.parametrize("how", AWKWARD)
def test_awkward_data(contract: Contract, how: str):
    check_awkward_data(contract, how)
