"""The layout of a fitted estimator's state, declared once: types, related shapes, and ranges of indices.

Compiled code relies on these; a saved model is checked against them before it is used.

>>> import numpy as np
>>> layout = {"n_words_": Number("words", least=1), "columns_": Array("rows", kind="i", below="words")}
>>> check_layout({"n_words_": 3, "columns_": np.array([0, 2])}, layout, "Model")
{'words': 3, 'rows': 2}
>>> check_layout({"n_words_": 3, "columns_": np.array([0, 3])}, layout, "Model")
Traceback (most recent call last):
driftline.core.errors.ModelFileError: Model.columns_ contains 3, which is not below 3 (words); the model is damaged
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from driftline.core.errors import ModelFileError

Size = str | int | None
"""A size by its name (``"words"``, ``"words+1"``), a fixed one, or any."""


class Sizes:
    """The sizes known so far by name, and the checks deferred until all of them are known."""

    def __init__(self, known: Mapping[str, int]) -> None:
        self.known = dict(known)
        self.later: list[Callable[[], None]] = []

    def agree(self, size: Size, found: int, where: str) -> None:
        """Compare a size with its known value, or store it."""
        if size is None:
            return
        if isinstance(size, int):
            expected, called = size, str(size)
        else:
            name, _, more = size.partition("+")
            expected = self.known.setdefault(name, found - int(more or 0)) + int(more or 0)
            called = f"{expected} ({size})"
        if found != expected:
            raise _damaged(where, f"has {found} entries instead of {called}")


class Held(Protocol):
    """A permitted kind of attribute."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Raise `ModelFileError` if a value is not of this kind."""


@dataclass(frozen=True)
class Array:
    """An array with sizes shared with others; `below` names the exclusive upper limit of its values.

    `kind` is "f" (floats), "i" (integers), "b" (truth values), "any", or an exact type that compiled code requires,
    such as "f8". Values lie between `least` and `most`; they are finite unless `finite` is False, and never NaN unless
    some may be `missing`. Those of an `ordered` array do not decrease.
    """

    sizes: tuple[Size, ...]
    kind: str
    least: float | None
    most: float | None
    below: str | None
    finite: bool
    ordered: bool
    missing: bool

    KINDS: ClassVar[dict[str, str]] = {"f": "f", "i": "iu", "b": "b", "any": "biufUSOmM"}

    def __init__(
        self,
        *sizes: Size,
        kind: str = "f",
        least: float | None = None,
        most: float | None = None,
        below: str | None = None,
        finite: bool = True,
        ordered: bool = False,
        missing: bool = False,
    ) -> None:
        lowest = 0.0 if least is None and below is not None else least
        fields = {"sizes": sizes, "kind": kind, "least": lowest, "most": most, "below": below}
        for name, value in (fields | {"finite": finite, "ordered": ordered, "missing": missing}).items():
            object.__setattr__(self, name, value)

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Compare kind, shape and values."""
        if not isinstance(value, np.ndarray) or not self._is_kind(value.dtype):
            raise _damaged(where, f"is not an array of the kind {self.kind!r}")
        if value.ndim != len(self.sizes):
            raise _damaged(where, f"has {value.ndim} dimensions, not {len(self.sizes)}")
        for size, found in zip(self.sizes, value.shape):
            sizes.agree(size, found, where)
        if not value.size or self.kind == "any":
            return
        if not self.missing:  # NaN
            _check_range(value, where, self.least, self.most, self.finite)
        if self.ordered and (value[1:] < value[:-1]).any():
            raise _damaged(where, "is not in order")
        below = self.below
        if below is not None:
            sizes.later.append(lambda: _check_below(int(value.max()), below, where, sizes))

    def _is_kind(self, dtype: np.dtype) -> bool:
        return dtype.str[1:] == self.kind if self.kind not in self.KINDS else dtype.kind in self.KINDS[self.kind]


@dataclass(frozen=True)
class Sparse:
    """A CSR matrix with sizes shared with others; persistence has checked its indices."""

    rows: Size
    columns: Size
    least: float | None = None

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        """Compare format, shape and values."""
        if not sp.issparse(value) or value.format != "csr" or value.dtype.kind != "f":
            raise _damaged(where, "is not a CSR matrix of numbers")
        for size, found in zip((self.rows, self.columns), value.shape):
            sizes.agree(size, found, where)
        if value.nnz:
            _check_range(value.data, where, self.least, None, finite=True)


@dataclass(frozen=True)
class Number:
    """A number; it may itself be a size."""

    size: str | None = None
    least: float | None = None
    most: float | None = None
    whole: bool = False
    finite: bool = True

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Compare kind and value."""
        whole = self.whole or self.size is not None
        kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise _damaged(where, "is not a whole number" if whole else "is not a number")
        if whole and not -(2**62) < value < 2**62:
            raise _damaged(where, f"is {value}")
        _check_range(np.asarray(value), where, self.least, self.most, self.finite)
        if self.size is not None:
            sizes.agree(self.size, int(value), where)


@dataclass(frozen=True)
class Text:
    """A string, one of `choices` if there are any."""

    choices: tuple[str, ...] = ()

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Compare the string with the choices."""
        if not isinstance(value, str) or (self.choices and value not in self.choices):
            raise _damaged(where, f"is {value!r}")


@dataclass(frozen=True)
class Flag:
    """A truth value."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Compare the kind."""
        if not isinstance(value, bool | np.bool_):
            raise _damaged(where, "is not a truth value")


@dataclass(frozen=True)
class Optional:
    """None, or another kind; the attribute may also be missing."""

    held: Held

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Check the value if there is one."""
        if value is not None:
            self.held.check(value, where, sizes)


@dataclass(frozen=True)
class Either:
    """A value of one of two kinds."""

    one: Held
    other: Held

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Check the value against one kind, then against the other."""
        try:
            self.one.check(value, where, Sizes(sizes.known))
        except ModelFileError:
            self.other.check(value, where, sizes)
        else:
            self.one.check(value, where, sizes)


@dataclass(frozen=True)
class Each:
    """A list of `n` values of one kind."""

    held: Held
    n: Size = None

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Check the length, and each value."""
        if not isinstance(value, list):
            raise _damaged(where, "is not a list")
        sizes.agree(self.n, len(value), where)
        for number, part in enumerate(value):
            self.held.check(part, f"{where}[{number}]", sizes)


@dataclass(frozen=True)
class Together:
    """Values of several kinds: a tuple in the order of the names, or a dictionary with them."""

    parts: Mapping[str, Held]

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Check every part."""
        if isinstance(value, tuple):
            value = dict(zip(self.parts, value)) if len(value) == len(self.parts) else None
        if not isinstance(value, dict) or value.keys() != self.parts.keys():
            raise _damaged(where, f"does not contain {', '.join(self.parts)}")
        for name, held in self.parts.items():
            held.check(value[name], f"{where}[{name!r}]", sizes)


@dataclass(frozen=True)
class Table:
    """An Arrow table with these columns first; persistence has checked its values."""

    columns: Sequence[str]

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Compare the names of the columns."""
        if not isinstance(value, pa.Table) or not set(self.columns) <= set(value.column_names):
            raise _damaged(where, f"is not a table with {', '.join(self.columns)}")


@dataclass(frozen=True)
class Part:
    """Another estimator, of driftline or scikit-learn; `sizes` maps its sizes to ours."""

    kind: type | None = None
    sizes: Mapping[str, str] = field(default_factory=dict)

    def check(self, value: Any, where: str, sizes: Sizes) -> None:
        """Compare the class, and the common sizes."""
        if not hasattr(value, "get_params") or (self.kind is not None and not isinstance(value, self.kind)):
            raise _damaged(where, f"is a {type(value).__name__}")
        if self.sizes:
            own = value._check_state()
            for theirs, ours in self.sizes.items():
                if theirs in own:
                    sizes.agree(ours, own[theirs], where)


@dataclass(frozen=True)
class Anything:
    """Data without requirements."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Accept it."""


Layout = Mapping[str, Held]

COLUMNS: Layout = {
    "n_features_in_": Number("words", least=0),
    "feature_names_in_": Optional(Array("words", kind="any")),
}
"""State of every estimator whose input has columns."""
TIME_AXIS: Layout = {"time_axis_kind_": Text(("number", "datetime"))}
"""State of every estimator that was fitted with times."""


def check_layout(
    held: Mapping[str, object], layout: Layout, name: str, sizes: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Check the state of an estimator, by attribute, and return the sizes by name; `sizes` are known beforehand."""
    found = Sizes(sizes or {})
    for attribute, kind in layout.items():
        if attribute in held:
            kind.check(held[attribute], f"{name}.{attribute}", found)
        elif not isinstance(kind, Optional):
            raise ModelFileError(f"{name}.{attribute} is missing; the model is damaged")
    for check in found.later:
        check()
    return found.known


def _check_range(values: np.ndarray, where: str, least: float | None, most: float | None, finite: bool) -> None:
    low, high = values.min(), values.max()  # NaN if there is one
    if math.isnan(low) or (finite and not (math.isfinite(low) and math.isfinite(high))):
        raise _damaged(where, "contains a number that is not finite")
    if least is not None and low < least:
        raise _damaged(where, f"contains {low}, which is below {least:g}")
    if most is not None and high > most:
        raise _damaged(where, f"contains {high}, which is above {most:g}")


def _check_below(largest: int, below: str, where: str, sizes: Sizes) -> None:
    if below not in sizes.known or largest >= sizes.known[below]:
        limit = sizes.known.get(below, 0)
        raise _damaged(where, f"contains {largest}, which is not below {limit} ({below})")


def _damaged(where: str, what: str) -> ModelFileError:
    return ModelFileError(f"{where} {what}; the model is damaged")
