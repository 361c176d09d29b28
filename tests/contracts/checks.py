"""What every estimator of driftline must satisfy: each check takes a contract and fails if it is broken."""

from __future__ import annotations

import inspect
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import driftline
from driftline import Corpus
from driftline.base.estimator import DriftEstimator
from driftline.core.errors import DriftlineError, TimesAssumedWarning
from tests.contracts.comparing import assert_finite, assert_same, finite_or_refused, state
from tests.contracts.estimators import Contract
from tests.contracts.samples import AWKWARD, KINDS, Sample, in_days

METHODS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "transform",
    "score_samples",
    "score",
)
TRUSTED = ("tests",)
"""The package of the toy estimator, which persistence would not import otherwise."""


def takes(function: Callable[..., Any], argument: str) -> bool:
    """Say whether a method has a parameter of this name."""
    return argument in inspect.signature(function).parameters


def fit(estimator: Any, sample: Sample, method: str = "fit", **more: Any) -> Any:
    """Fit the estimator to a sample, handing over its times and labels where the method takes them."""
    function = getattr(estimator, method)
    arguments = {"times": sample.times} if takes(function, "times") and sample.times is not None else {}
    if sample.labels is not None:
        arguments["y"] = sample.labels
    return function(sample.X, **arguments, **more)


def answers(estimator: Any, sample: Sample, ask: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return everything that a fitted estimator says about a sample, by method."""
    given: dict[str, Any] = {}
    for name in METHODS:
        method = getattr(estimator, name, None)
        if method is None:
            continue
        arguments = {"times": sample.times} if takes(method, "times") and sample.times is not None else {}
        if name == "score" and sample.labels is not None:
            arguments["y"] = sample.labels
        given[name] = method(sample.X, **arguments)
    for name in ask:
        given[name] = getattr(estimator, name)(sample.X if sample.times is None else sample.times)
    return given


def check_cloned_alike(contract: Contract) -> None:
    """A clone has the same parameters and has learned nothing; fitting changes no parameter."""
    estimator, sample = contract.make(), KINDS[contract.data]()
    fit(estimator, sample)
    copy = clone(estimator)
    assert not state(copy), f"a clone already knows {sorted(state(copy))}"
    fresh = contract.make().get_params()
    for copied in (copy.get_params(), estimator.get_params()):
        assert copied.keys() == fresh.keys()
        for name, value in fresh.items():
            assert_same(copied[name], value, f"parameter {name}")


def check_unfitted_refuses(contract: Contract) -> None:
    """Before fit, every method raises NotFittedError."""
    sample = KINDS[contract.data]()
    for name in (*METHODS, *contract.ask):
        if hasattr(contract.make(), name):
            with pytest.raises(NotFittedError):
                answers(_Only(contract.make(), name), sample, (name,) if name in contract.ask else ())


def check_state_is_named(contract: Contract) -> None:
    """What was learned is in attributes that end in an underscore; only what follows from it may be ``_cached_…``."""
    estimator = contract.make()
    before = set(vars(estimator))
    fit(estimator, KINDS[contract.data]())
    stray = sorted(set(vars(estimator)) - before - set(state(estimator)))
    stray = [name for name in stray if not name.startswith("_cached_")]
    assert not stray, f"fit left {stray}, which do not end in an underscore and so would not be saved"
    assert state(estimator), "fit learned nothing"


def check_state_is_declared(contract: Contract) -> None:
    """The learned state is declared in `_state_layout` and conforms to it: `load` checks foreign models by it."""
    estimator = fit(contract.make(), KINDS[contract.data]())
    for each in _with_parts(estimator):
        assert each._state_layout is not None, f"{type(each).__name__} declares no _state_layout"
        undeclared = sorted(set(state(each)) - set(each._state_layout))
        assert not undeclared, f"{type(each).__name__} holds {undeclared}, which _state_layout does not declare"
        assert each._check_state(), "sizes that belong together are named"


def check_same_seed_same_bytes(contract: Contract) -> None:
    """Two fits with the same seed give the same bytes, with any number of threads."""
    sample = KINDS[contract.data]()
    first = fit(contract.make(), sample)
    others = [fit(contract.make(), sample)]
    for name in ("n_jobs", "n_threads"):
        if name in first.get_params():
            others += [fit(contract.make().set_params(**{name: n}), sample) for n in (1, 2)]
    for other in others:
        assert_same(state(other), state(first), "state")
        assert_same(answers(other, sample, contract.ask), answers(first, sample, contract.ask), "answers")


def check_saved_and_loaded(contract: Contract) -> None:
    """A model that was saved and loaded has the same state and gives the same bytes, and so does saving it again."""
    sample = KINDS[contract.data]()
    if contract.data not in ("times", "sequences", "tags"):
        sample = in_days(sample)
    estimator = fit(contract.make(), sample)
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder, "first"), Path(folder, "second")
        estimator.save(first, trusted=TRUSTED)
        loaded = driftline.load(first, trusted=TRUSTED)
        loaded.save(second, trusted=TRUSTED)
        for file in sorted(first.iterdir()):
            assert file.read_bytes() == (second / file.name).read_bytes(), f"{file.name} differs when saved again"
    assert type(loaded) is type(estimator)
    assert_same(loaded.get_params(), estimator.get_params(), "parameters")
    assert_same(state(loaded), state(estimator), "state")
    assert_same(answers(loaded, sample, contract.ask), answers(estimator, sample, contract.ask), "answers")
    if hasattr(estimator, "partial_fit"):
        for one in (loaded, estimator):
            _learn_part(one, sample.take(slice(-4, None)), first=False)
        assert_same(answers(loaded, sample, contract.ask), answers(estimator, sample, contract.ask), "later answers")


def check_saved_unfitted(contract: Contract) -> None:
    """An unfitted model can be saved too: its parameters come back, and it fits to the same answers."""
    sample = KINDS[contract.data]()
    with tempfile.TemporaryDirectory() as folder:
        contract.make().save(Path(folder, "model"), trusted=TRUSTED)
        loaded = driftline.load(Path(folder, "model"), trusted=TRUSTED)
    assert not state(loaded)
    assert_same(state(fit(loaded, sample)), state(fit(contract.make(), sample)), "state")


def check_parts_make_the_whole(contract: Contract) -> None:
    """Where it is promised, fitting consecutive parts equals fitting the whole."""
    if not contract.parts:
        return
    sample = KINDS[contract.data]()
    whole, parts = fit(contract.make(), sample), contract.make()
    for start, end in ((0, 7), (7, 8), (8, 8 + 9), (17, len(sample))):
        _learn_part(parts, sample.take(slice(start, end)), first=start == 0, labels=sample.labels)
    assert_same(answers(parts, sample, contract.ask), answers(whole, sample, contract.ask), "answers", tolerance=1e-9)


def check_awkward_data(contract: Contract, how: str) -> None:
    """Awkward data gives finite answers or a clear refusal, in fitting and in asking; what was fitted stays usable."""
    sample = KINDS[contract.data]()
    awkward = AWKWARD[how](sample)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        estimator = finite_or_refused(lambda: fit(contract.make(), awkward), f"fit on {how}")
        if estimator is not None:
            assert_finite(state(estimator), f"state after fit on {how}", infinite_too=True)
            finite_or_refused(lambda: answers(estimator, awkward, contract.ask), f"answers after fit on {how}")
            finite_or_refused(lambda: answers(estimator, sample, contract.ask), f"plain answers after fit on {how}")
        if contract.data == "times":
            return
        plain = fit(contract.make(), sample)
        before = answers(plain, sample, contract.ask)
        finite_or_refused(lambda: answers(plain, awkward, contract.ask), f"answers to {how}")
        assert_same(answers(plain, sample, contract.ask), before, f"answers after being asked about {how}")


def check_dates(contract: Contract) -> None:
    """Dates are understood as days: the same answers as for the numbers, and numbers are refused afterwards."""
    sample = KINDS[contract.data]()
    if sample.times is None or not takes(contract.make().fit, "times"):
        return
    days = in_days(sample)
    estimator = fit(contract.make(), days)
    numbers = replace(days, times=days.times.astype(np.int64) / 86_400e6)
    assert_same(
        answers(estimator, days, contract.ask),
        answers(fit(contract.make(), numbers), numbers, contract.ask),
        "answers",
        tolerance=1e-6,
    )
    for name in (*METHODS, *contract.ask):
        method = getattr(estimator, name, None)
        if method is not None and (name in contract.ask or takes(method, "times")):
            with pytest.raises(DriftlineError):
                answers(_Only(estimator, name), sample, (name,) if name in contract.ask else ())


def check_number_of_times(contract: Contract) -> None:
    """One time too few is refused."""
    sample = KINDS[contract.data]()
    if sample.times is None or not takes(contract.make().fit, "times"):
        return
    with pytest.raises(DriftlineError, match=str(len(sample))):
        fit(contract.make(), replace(sample, times=sample.times[:-1]))


def check_missing_times(contract: Contract) -> None:
    """Without times, learning warns once, at the line that begins it; numbers of documents say the same without."""
    sample = KINDS[contract.data]()
    if sample.times is None or not takes(contract.make().fit, "times"):
        return
    untimed, numbered = replace(sample, times=None), replace(sample, times=np.arange(len(sample)))
    fitted, begun, stated = contract.make(), contract.make(), contract.make()
    said = _assumptions(lambda: fit(fitted, untimed))
    assert said == _expected(contract, "fit"), f"fit said {said}"
    if hasattr(fitted, "partial_fit"):
        said = _assumptions(lambda: _learn_part(begun, untimed, first=True, labels=sample.labels))
        assert said == _expected(contract, "partial_fit"), f"partial_fit said {said}"
        continued = _assumptions(lambda: _learn_part(begun, untimed, first=False))
        assert not continued, "only the first call of partial_fit decides what times are"
    assert not _assumptions(lambda: fit(stated, numbered)), "times=range(n) is a statement, not an assumption"
    assert_same(state(fitted), state(stated), "state")


def check_a_corpus_is_no_matrix(contract: Contract) -> None:
    """A corpus in place of counts is refused at once, with what to pass."""
    sample = KINDS[contract.data]()
    if contract.data in ("counts", "labels"):
        corpus = Corpus.from_texts([f"word{i % 7} other{i % 3}" for i in range(len(sample))], times=range(len(sample)))
        with pytest.raises(DriftlineError, match="counts"):
            fit(contract.make(), replace(sample, X=corpus))


def check_times_are_routed(contract: Contract) -> None:
    """`times` reaches the model through a Pipeline and through cross-validation."""
    sample = KINDS[contract.data]()
    if sample.times is None or not takes(contract.make().fit, "times"):
        return
    with sklearn.config_context(enable_metadata_routing=True):
        model = _requesting(contract.make())
        pipe = make_pipeline(FunctionTransformer(accept_sparse=True), model)
        pipe.fit(sample.X, sample.labels, times=sample.times)
        assert_same(state(pipe[-1]), state(fit(contract.make(), sample)), "state in a pipeline")
        if hasattr(model, "score"):
            found = cross_validate(
                _requesting(contract.make()),
                sample.X,
                sample.labels,
                cv=3,
                params={"times": sample.times},
                error_score="raise",
            )
            assert np.isfinite(found["test_score"]).all(), "cross-validation scores are not finite"


CHECKS = (
    check_cloned_alike,
    check_unfitted_refuses,
    check_state_is_named,
    check_state_is_declared,
    check_same_seed_same_bytes,
    check_saved_and_loaded,
    check_saved_unfitted,
    check_parts_make_the_whole,
    check_dates,
    check_number_of_times,
    check_missing_times,
    check_a_corpus_is_no_matrix,
    check_times_are_routed,
)


class _Only:
    """An estimator that shows only one of its methods."""

    def __init__(self, estimator: Any, name: str) -> None:
        setattr(self, name, getattr(estimator, name))


def _with_parts(estimator: Any) -> list[Any]:
    """Return an estimator and those of driftline that it has learned."""
    held = [part for value in state(estimator).values() for part in (value if isinstance(value, list) else [value])]
    parts = [part for part in held if isinstance(part, DriftEstimator)]
    return [estimator, *(each for part in parts for each in _with_parts(part))]


def _requesting(estimator: Any) -> Any:
    for name in ("fit", "partial_fit", *METHODS):
        method = getattr(estimator, name, None)
        # scikit-learn routes nothing to `score_samples`, so there is nothing to request.
        if method is not None and takes(method, "times") and hasattr(estimator, f"set_{name}_request"):
            getattr(estimator, f"set_{name}_request")(times=True)
    return estimator


def _assumptions(learn: Callable[[], Any]) -> list[str]:
    """Return what a call assumes about times, as its warnings say; they name the line here that begins it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", TimesAssumedWarning)
        learn()
    here = Path(__file__).parent
    assert all(Path(warning.filename).parent == here for warning in caught), "the warning points into a library"
    return [str(warning.message).partition(":")[0] for warning in caught]


def _expected(contract: Contract, method: str) -> list[str]:
    if method in contract.untimed:
        return []
    return [f"{contract.path.rpartition('.')[2]}.{method} was given no times"]


def _learn_part(estimator: Any, part: Sample, *, first: bool, labels: Any = None) -> None:
    classes = {}
    if first and takes(estimator.partial_fit, "classes"):
        classes = {"classes": np.unique(labels[labels != -1])}
    fit(estimator, part, "partial_fit", **classes)
