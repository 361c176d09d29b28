"""Deep comparison of what estimators know and say, and the search for NaN in it."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from driftline.core.errors import DriftlineError

MAY_BE_INFINITE = ("predict_log_proba",)


def state(estimator: Any) -> dict[str, Any]:
    """Return what the estimator has learned: the attributes that end in an underscore."""
    return {name: value for name, value in vars(estimator).items() if name.endswith("_") and not name.startswith("__")}


def finite_or_refused(work: Callable[[], Any], where: str) -> Any:
    """Return the outcome of the work after checking that it is finite; None if it was refused on purpose."""
    try:
        outcome = work()
    except DriftlineError:
        return None
    except ValueError as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        if not (last.line or "").startswith("raise"):
            raise AssertionError(f"{where}: an accident, not a refusal, in {last}") from error
        return None
    if isinstance(outcome, dict):
        for name, answer in outcome.items():
            assert_finite(answer, f"{where}: {name}", infinite_too=name in MAY_BE_INFINITE)
    return outcome


def assert_finite(value: Any, where: str, *, infinite_too: bool = False) -> None:
    """Look for NaN (and infinity) anywhere in a value."""
    if isinstance(value, dict):
        for name, part in value.items():
            assert_finite(part, f"{where}[{name!r}]", infinite_too=infinite_too)
    elif isinstance(value, list | tuple):
        for i, part in enumerate(value):
            assert_finite(part, f"{where}[{i}]", infinite_too=infinite_too)
    elif isinstance(value, pa.Table):
        assert_finite(value.to_pydict(), where, infinite_too=infinite_too)
    elif sp.issparse(value):
        assert_finite(value.data, where, infinite_too=infinite_too)
    elif isinstance(value, np.ndarray | np.generic | float):
        array = np.asarray(value)
        if array.dtype.kind in "fc":
            assert not np.isnan(array).any(), f"{where} has NaN"
            assert infinite_too or np.isfinite(array).all(), f"{where} is not finite"
        elif array.dtype.kind in "mM":
            assert not np.isnat(array).any(), f"{where} has NaT"


def assert_same(one: Any, other: Any, where: str, *, tolerance: float = 0.0) -> None:
    """Compare two values deeply: types, shapes and bytes, or numbers up to a relative tolerance."""
    assert type(one) is type(other), f"{where}: {type(one)} and {type(other)}"
    if isinstance(one, dict):
        assert list(one) == list(other) or set(one) == set(other), f"{where}: {sorted(one)} and {sorted(other)}"
        for name in one:
            assert_same(one[name], other[name], f"{where}[{name!r}]", tolerance=tolerance)
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), f"{where}: lengths {len(one)} and {len(other)}"
        for i, (left, right) in enumerate(zip(one, other)):
            assert_same(left, right, f"{where}[{i}]", tolerance=tolerance)
    elif sp.issparse(one):
        assert one.format == other.format, f"{where}: {one.format} and {other.format}"
        assert one.shape == other.shape, f"{where}: shapes {one.shape} and {other.shape}"
        left, right = one.tocoo(), other.tocoo()
        for name in ("row", "col", "data"):
            assert_same(getattr(left, name), getattr(right, name), f"{where}.{name}", tolerance=tolerance)
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype, f"{where}: {one.dtype} and {other.dtype}"
        assert one.shape == other.shape, f"{where}: shapes {one.shape} and {other.shape}"
        if tolerance and one.dtype.kind in "fc":
            assert _close(one, other, tolerance), f"{where} differs by {np.abs(one - other).max():.3g}"
        elif one.dtype.kind == "O":
            assert_same(one.tolist(), other.tolist(), where, tolerance=tolerance)
        else:
            assert one.tobytes() == other.tobytes(), f"{where} differs"
    elif isinstance(one, np.generic):
        assert_same(np.asarray(one), np.asarray(other), where, tolerance=tolerance)
    elif isinstance(one, pa.Table):
        assert one.equals(other, check_metadata=True), f"{where} differs"
    elif isinstance(one, np.random.Generator):
        assert_same(one.bit_generator.state, other.bit_generator.state, where)
    elif isinstance(one, BaseEstimator):
        assert_same(one.get_params(deep=False), other.get_params(deep=False), f"{where}: parameters")
        assert_same(state(one), state(other), where, tolerance=tolerance)
    elif hasattr(one, "to_arrow"):
        assert_same(one.to_arrow(), other.to_arrow(), where)
    elif isinstance(one, float) and tolerance:
        assert _close(one, other, tolerance), f"{where}: {one!r} and {other!r}"
    elif isinstance(one, float | complex):
        assert repr(one) == repr(other), f"{where}: {one!r} and {other!r}"
    else:
        assert one == other, f"{where}: {one!r} and {other!r}"


def _close(one: Any, other: Any, tolerance: float) -> bool:
    return np.allclose(
        one, other, rtol=tolerance, atol=tolerance * (1 + np.max(np.abs(other), initial=0)), equal_nan=True
    )
