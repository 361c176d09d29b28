"""Calls of learning methods: one that fails or is interrupted leaves the estimator unchanged.

A call also warns at most once that times are missing, whatever estimators learn inside it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import ContextVar
from typing import Concatenate, ParamSpec, Protocol, TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from driftline.core.arrays import Times
from driftline.core.interrupts import interruptible
from driftline.core.times import note_missing_times

E = TypeVar("E", bound=BaseEstimator)
P = ParamSpec("P")
R = TypeVar("R")
LEARNING = ("fit", "fit_links", "refit", "partial_fit", "add_labels", "revise")
"""Methods that change the learned state of an estimator."""


class _Call:
    """A call of a learning method by the user; estimators inside the estimator learn within it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.has_warned = False


_CALL: ContextVar[_Call | None] = ContextVar("the learning method that was called", default=None)


def whole_or_not_at_all(method: Callable[Concatenate[E, P], R]) -> Callable[Concatenate[E, P], R]:
    """Wrap a learning method: an error or Ctrl-C in it leaves the estimator unchanged."""

    @functools.wraps(method)
    def learn(self: E, /, *arguments: P.args, **keywords: P.kwargs) -> R:
        before = Snapshot(self, in_place=method.__name__ != "fit")
        outermost = _CALL.get() is None
        if outermost:
            _CALL.set(_Call(f"{type(self).__name__}.{method.__name__}"))
        try:
            with interruptible():
                return method(self, *arguments, **keywords)
        except BaseException:
            before.restore()
            raise
        finally:
            if outermost:
                _CALL.set(None)

    return learn


class _Timed(Protocol):
    @property
    def _timed(self) -> str: ...


def warn_without_times(estimator: _Timed, times: Times) -> None:
    """Warn, once per call of a learning method, that document order is assumed if times are missing."""
    call = _CALL.get() or _Call(type(estimator).__name__)
    if not call.has_warned:
        note_missing_times(times, call.name, estimator._timed)
        call.has_warned = times is None


class Snapshot:
    """The attributes of an estimator and of the estimators in it.

    Learning usually creates new arrays, so it is enough to keep references to the old ones. An estimator that changes
    some in place names them in `_changed_in_place`; these are copied if `in_place` is set.
    """

    def __init__(self, estimator: BaseEstimator, *, in_place: bool) -> None:
        self._estimator = estimator
        self._attributes = dict(vars(estimator))
        self._lists = {name: list(value) for name, value in self._attributes.items() if type(value) is list}
        self._copies: dict[str, np.ndarray] = {}
        if in_place:
            named = [name for name in getattr(estimator, "_changed_in_place", ()) if name in self._attributes]
            self._copies = {name: self._attributes[name].copy() for name in named}
        self._parts = [Snapshot(part, in_place=in_place) for part in self._inner()]

    def _inner(self) -> list[BaseEstimator]:
        found = [value for name, value in self._attributes.items() if name.endswith("_")]
        found += [part for values in self._lists.values() for part in values]
        return [value for value in found if isinstance(value, BaseEstimator)]

    def restore(self) -> None:
        """Restore the attributes of the estimator."""
        for part in self._parts:
            part.restore()
        for name, values in self._lists.items():
            self._attributes[name][:] = values
        for name, copied in self._copies.items():
            self._attributes[name][...] = copied
        vars(self._estimator).clear()
        vars(self._estimator).update(self._attributes)
