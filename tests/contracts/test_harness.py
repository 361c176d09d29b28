"""The contract checks fail on estimators that break the contract, one way each."""

from __future__ import annotations

import numpy as np
import pytest

from driftline.core.times import TimeAxis
from tests.contracts import checks, interrupts
from tests.contracts.comparing import assert_finite, assert_same, finite_or_refused
from tests.contracts.estimators import ESTIMATORS, Contract
from tests.contracts.samples import AWKWARD, KINDS, in_days
from tests.contracts.toy import RecentShares


class Unseeded(RecentShares):
    def _learn(self, X, times, *, reset):
        super()._learn(X, times, reset=reset)
        self.projection_ = np.random.default_rng().normal(size=self.projection_.shape)
        return self


class Leaky(RecentShares):
    def _learn(self, X, times, *, reset):
        self.seen = X.shape[0]
        return super()._learn(X, times, reset=reset)


class Undeclared(RecentShares):
    def _learn(self, X, times, *, reset):
        self.seen_ = X.shape[0]
        return super()._learn(X, times, reset=reset)


class InPlace(RecentShares):
    def partial_fit(self, X, y=None, *, times=None):
        if hasattr(self, "counts_"):
            self.counts_ += 1
        return super().partial_fit(X, times=times)


class Unsavable(RecentShares):
    def _learn(self, X, times, *, reset):
        self.callback_ = lambda: None
        return super()._learn(X, times, reset=reset)


class Overwriting(RecentShares):
    def _learn(self, X, times, *, reset):
        self.half_life = 2 * self.half_life
        return super()._learn(X, times, reset=reset)


class Forgetful(RecentShares):
    def partial_fit(self, X, y=None, *, times=None):
        return self._learn(X, times, reset=True)


class Timeless(RecentShares):
    def _check_times(self, times, n, *, reset, decide=True):
        self.time_axis_kind_ = "number"
        return np.arange(n, dtype=float)

    def shares_at(self, times):
        return self.shares_


class Divides(RecentShares):
    @staticmethod
    def _shares_of(X):
        with np.errstate(all="ignore"):
            return X.toarray() / np.asarray(X.sum(axis=1)).reshape(-1, 1)


class Accidental(RecentShares):
    def _check_counts(self, X, *, reset):
        if not X.shape[0]:
            X.toarray().max()
        return super()._check_counts(X, reset=reset)


class Eager(RecentShares):
    def score_samples(self, X):
        return np.zeros(X.shape[0])

    def score(self, X, y=None, *, times=None):
        return 0.0


class Unroutable(RecentShares):
    def fit(self, X, y=None, *, times=None):
        return self._learn(X, None, reset=True)


BROKEN = [
    (Unseeded, checks.check_same_seed_same_bytes),
    (Leaky, checks.check_state_is_named),
    (Undeclared, checks.check_state_is_declared),
    (InPlace, interrupts.check_interrupted_partial_fit),
    (Unsavable, checks.check_saved_and_loaded),
    (Overwriting, checks.check_cloned_alike),
    (Forgetful, checks.check_parts_make_the_whole),
    (Timeless, checks.check_dates),
    (Timeless, checks.check_number_of_times),
    (Timeless, checks.check_missing_times),
    (Unroutable, checks.check_number_of_times),
    (Eager, checks.check_unfitted_refuses),
]


@pytest.mark.filterwarnings("ignore::driftline.core.errors.TimesAssumedWarning")
@pytest.mark.parametrize(("kind", "check"), BROKEN, ids=lambda part: part.__name__)
def test_a_broken_estimator_is_caught(kind, check):
    contract = Contract(f"{__name__}.{kind.__name__}", {"random_state": 3}, ask=("shares_at",), parts=True)
    with pytest.raises(BaseException, match=r".") as caught:
        check(contract)
    assert isinstance(caught.value, AssertionError | pytest.fail.Exception | ValueError)


@pytest.mark.parametrize(("kind", "how"), [(Divides, "blank documents"), (Accidental, "no document")])
def test_a_careless_estimator_is_caught(kind, how):
    with pytest.raises(AssertionError, match=r"NaN|accident"):
        checks.check_awkward_data(Contract(f"{__name__}.{kind.__name__}"), how)


def test_routing_that_never_arrives_is_caught(monkeypatch):
    monkeypatch.setattr(checks, "_requesting", lambda estimator: estimator)
    with pytest.raises(Exception, match="times"):
        checks.check_times_are_routed(ESTIMATORS[0])


@pytest.mark.parametrize("kind", KINDS)
def test_samples_are_what_they_say(kind):
    sample = KINDS[kind]()
    assert len(sample) == len(sample.take(slice(None))) > 20
    for how, change in AWKWARD.items():
        awkward = change(sample)
        assert (len(awkward) != len(sample)) == (how in ("no document", "one document", "two documents"))
    if sample.times is not None:
        assert len(sample.times) == len(sample)
        assert TimeAxis("datetime").values(in_days(sample).times).shape == sample.times.shape
    if sample.labels is not None:
        known = {tag for tags in sample.labels for tag in tags} if kind == "tags" else set(sample.labels)
        assert known == ({"B-N", "I-N", "O"} if kind == "tags" else {-1, 0, 1})


def test_differences_are_seen():
    for one, other in [
        (np.zeros(2), np.zeros(3)),
        (np.zeros(2), np.zeros(2, dtype=np.float32)),
        (np.zeros(2), np.array([0.0, 1e-300])),
        ({"a": 1}, {"b": 1}),
        ((1,), [1]),
        (0.0, -0.0),
        (1, True),
        ([1, 2], [1]),
        (np.array(["a"], dtype=object), np.array(["b"], dtype=object)),
    ]:
        with pytest.raises(AssertionError):
            assert_same(one, other, "it")
    assert_same(1.0, 1.0 + 1e-12, "it", tolerance=1e-9)
    with pytest.raises(AssertionError):
        assert_same(1.0, 1.1, "it", tolerance=1e-9)


def test_nan_is_found_anywhere():
    for hidden in (np.nan, [np.nan], {"a": (1, np.array([np.nan]))}, np.datetime64("NaT", "us")):
        with pytest.raises(AssertionError):
            assert_finite(hidden, "it", infinite_too=True)
    assert_finite(np.inf, "it", infinite_too=True)
    with pytest.raises(AssertionError):
        assert_finite(np.inf, "it")


def test_refusals_and_accidents_are_told_apart():
    def refuses():
        raise ValueError("no documents; pass some")

    assert finite_or_refused(refuses, "it") is None
    with pytest.raises(AssertionError, match="accident"):
        finite_or_refused(lambda: np.zeros(0).max(), "it")
