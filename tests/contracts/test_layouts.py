"""Equal matrices give equal answers whatever their layout, and damaged ones are refused before compiled code runs."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
import scipy.sparse as sp

from driftline.core.errors import InvalidInput
from tests.contracts.checks import answers, fit
from tests.contracts.comparing import assert_same
from tests.contracts.estimators import ESTIMATORS, Contract
from tests.contracts.layouts import DENSE, LAYOUTS, MALFORMED
from tests.contracts.samples import KINDS

pytestmark = [
    pytest.mark.filterwarnings("ignore::driftline.core.errors.OutsideSupportWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
slow = pytest.mark.slow
OF_MATRICES = [contract for contract in ESTIMATORS if contract.data in ("counts", "labels")]
DENSE_MEANS_VECTORS = ("TopicDriftTracker",)
"""These take sparse matrices as counts and dense ones as vectors, so the two answers differ on purpose."""
matrices = pytest.mark.parametrize("contract", OF_MATRICES, ids=[contract.name for contract in OF_MATRICES])


@lru_cache
def plain_answers(name: str) -> dict:
    contract = next(contract for contract in OF_MATRICES if contract.name == name)
    return learn_and_answer(contract, lambda X: X)


def learn_and_answer(contract: Contract, layout) -> dict:
    """Fit to a matrix in this layout, learn a part more where that is possible, and answer in the same layout."""
    sample = KINDS[contract.data]()
    given = replace(sample, X=layout(sample.X))
    estimator = fit(contract.make(), given)
    said = {"first": answers(estimator, given, contract.ask)}
    if hasattr(estimator, "partial_fit"):
        part = sample.take(slice(-4, None))
        fit(estimator, replace(part, X=layout(part.X)), "partial_fit")
        said["later"] = answers(estimator, given, contract.ask)
    return said


@matrices
@pytest.mark.parametrize("how", [how if how == "all at once" else pytest.param(how, marks=slow) for how in LAYOUTS])
def test_layouts_do_not_matter(contract: Contract, how: str):
    found = learn_and_answer(contract, LAYOUTS[how])
    assert_same(found, plain_answers(contract.name), how, tolerance=1e-9)


@slow
@matrices
@pytest.mark.parametrize("how", DENSE)
def test_dense_matrices_are_the_same_matrices(contract: Contract, how: str):
    found = learn_and_answer(contract, DENSE[how])
    if contract.name.startswith(DENSE_MEANS_VECTORS):
        assert_same(found, learn_and_answer(contract, lambda X: X.toarray()), how)
    else:
        assert_same(found, plain_answers(contract.name), how, tolerance=1e-5)


@slow
@matrices
def test_truth_values_are_ones(contract: Contract):
    found = learn_and_answer(contract, lambda X: X.astype(bool))
    assert_same(found, learn_and_answer(contract, lambda X: X.astype(bool).astype(float)), "bool", tolerance=1e-9)


@slow
@matrices
def test_the_matrix_stays_as_it_was(contract: Contract):
    sample = KINDS[contract.data]()
    messy = LAYOUTS["explicit zeros"](sample.X)
    before = [part.copy() for part in (messy.data, messy.indices, messy.indptr)]
    answers(fit(contract.make(), replace(sample, X=messy)), replace(sample, X=messy))
    for old, new in zip(before, (messy.data, messy.indices, messy.indptr)):
        np.testing.assert_array_equal(old, new)


@matrices
@pytest.mark.parametrize("how", MALFORMED)
def test_damaged_matrices_are_refused(contract: Contract, how: str):
    sample = KINDS[contract.data]()
    with pytest.raises(InvalidInput, match="damaged"):
        fit(contract.make(), replace(sample, X=MALFORMED[how](sample.X)))


@slow
@matrices
@pytest.mark.parametrize("how", MALFORMED)
def test_damaged_matrices_are_refused_by_fitted_models(contract: Contract, how: str):
    sample = KINDS[contract.data]()
    damaged = replace(sample, X=MALFORMED[how](sample.X))
    estimator = fit(contract.make(), sample)
    for name in ("predict", "transform", "score_samples", "predict_proba"):
        if hasattr(estimator, name):
            with pytest.raises(InvalidInput, match="damaged"):
                getattr(estimator, name)(damaged.X)
    if hasattr(estimator, "partial_fit"):
        with pytest.raises(InvalidInput, match="damaged"):
            fit(estimator, damaged, "partial_fit")


@matrices
@pytest.mark.parametrize("value", [1e16, 1e300])
def test_absurd_values_are_refused(contract: Contract, value: float):
    sample = KINDS[contract.data]()
    large = sp.csr_matrix(sample.X)
    large.data[4] = value
    with pytest.raises(InvalidInput, match="scale the data down"):
        fit(contract.make(), replace(sample, X=large))
