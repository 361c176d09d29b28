"""An interrupt at any moment of learning leaves an estimator as it was before: each check takes a contract."""

from __future__ import annotations

import contextlib
import copy
import gc
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.contracts.checks import _learn_part, answers, fit
from tests.contracts.comparing import assert_same, state
from tests.contracts.estimators import Contract
from tests.contracts.samples import KINDS

MOMENTS = 6
"""How many moments, spread over the calls that a fit makes, are tried."""


@contextlib.contextmanager
def interrupted_at(number: int) -> Iterator[list[int]]:
    """Raise KeyboardInterrupt when a function is called for the n-th time in the block; never if `number` is 0."""
    calls = [0]

    def count(frame: Any, event: str, argument: Any) -> None:
        if event == "call":
            calls[0] += 1
            if calls[0] == number:
                raise KeyboardInterrupt

    gc.disable()  # an interrupt in a destructor is printed and forgotten
    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        gc.enable()


def interrupted(work: Callable[[], Any], number: int) -> bool:
    """Run a task, interrupted at the n-th call; return whether it was interrupted."""
    try:
        with interrupted_at(number):
            work()
            sys.setprofile(None)  # the end of the block makes calls, too, when the estimator has learned
    except KeyboardInterrupt:
        return True
    return False


def moments(work: Callable[[], Any]) -> list[int]:
    """Return some numbers of calls within a task, the first and the last among them."""
    with interrupted_at(0) as calls:
        work()
    return sorted({int(n) for n in np.linspace(1, calls[0] - 2, MOMENTS)})


def check_interrupted_fit(contract: Contract) -> None:
    """Interrupted while it is fitted, a new estimator has learned nothing, and one that was fitted is as it was."""
    sample = KINDS[contract.data]()
    other = sample.take(slice(None, None, 2))
    fit(contract.make(), other)
    fitted = fit(contract.make(), sample)
    said = answers(fitted, sample, contract.ask)
    known = copy.deepcopy(state(fitted))
    n_interrupted = 0
    for number in moments(lambda: fit(contract.make(), other)):
        new = contract.make()
        before = dict(vars(new))
        if interrupted(lambda model=new: fit(model, other), number):
            n_interrupted += 1
            assert vars(new) == before, f"interrupted at call {number}, it holds {sorted(set(vars(new)) - set(before))}"
        if interrupted(lambda: fit(fitted, other), number):
            assert_same(state(fitted), known, f"state after an interrupt at call {number}")
        else:
            fit(fitted, sample)
            answers(fitted, sample, contract.ask)
    assert n_interrupted >= MOMENTS / 2, "hardly any moment was within the fit"
    assert_same(answers(fitted, sample, contract.ask), said, "answers after all interrupts")


def check_interrupted_partial_fit(contract: Contract) -> None:
    """Interrupted while it learns more, an estimator is as it was before."""
    if not hasattr(contract.make(), "partial_fit"):
        return
    sample = KINDS[contract.data]()
    second = sample.take(slice(16, None))

    def begun() -> Any:
        # Twice, since the first part may leave arrays that are too small to be written into
        estimator = contract.make()
        _learn_part(estimator, sample.take(slice(None, 8)), first=True, labels=sample.labels)
        _learn_part(estimator, sample.take(slice(8, 16)), first=False)
        return estimator

    estimator = begun()
    places = moments(lambda: _learn_part(begun(), second, first=False))
    known = copy.deepcopy(state(estimator))
    for number in places:
        if interrupted(lambda model=estimator: _learn_part(model, second, first=False), number):
            assert_same(state(estimator), known, f"state after an interrupt at call {number}")
        else:
            estimator = begun()
    _learn_part(estimator, second, first=False)
    straight = begun()
    _learn_part(straight, second, first=False)
    assert_same(answers(estimator, sample, contract.ask), answers(straight, sample, contract.ask), "answers at the end")
