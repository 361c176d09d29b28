r"""The design matrix of a regression: terms of a formula as columns, smooth curves as B-splines, groups as indicators.

A smooth curve has :math:`q` columns: all but the first of the :math:`q + 1` cubic B-splines with knots at quantiles,
centred so that the intercept stays separate. A group has an indicator for every level but the first. Numbers are
centred at their mean. The columns of an interaction are all products of the columns of its factors.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.interpolate import BSpline

from driftline.core.arrays import Bools, Floats, Ints, Times
from driftline.core.errors import InvalidInput
from driftline.core.labels import label_codes
from driftline.core.times import TimeAxis
from driftline.topics.contexts.formula import Factor, Term

GRID_POINTS = 60
MOST_LEVELS = 200
"""Maximum number of levels of a group; a variable with more is usually an identifier."""


class Variable(NamedTuple):
    """A variable of the data: codes of `levels` (−1 if missing), or numbers (NaN if missing), possibly times."""

    name: str
    values: Floats
    levels: tuple[str, ...] = ()
    axis: TimeAxis | None = None

    @property
    def missing(self) -> Bools:
        """Whether each document has no value."""
        found: Bools = self.values < 0 if self.levels else np.isnan(self.values)
        return found


class Encoder(NamedTuple):
    """The columns of one factor: their names, and what is needed to compute them from values."""

    factor: Factor
    variable: Variable
    names: tuple[str, ...]
    centre: Floats
    knots: Floats

    def columns(self, values: Floats) -> Floats:
        """Return values × columns."""
        if self.variable.levels:
            return np.asarray(values[:, None] == np.arange(1, len(self.variable.levels)), dtype=np.float64)
        return self._plain(values) - self.centre

    def _plain(self, values: Floats) -> Floats:
        if self.factor.kind != "smooth":
            return values[:, None]
        low, high = self.knots[0], self.knots[-1]
        basis = BSpline.design_matrix(np.clip(values, low, high), self.knots, 3).toarray()
        return np.asarray(basis[:, 1:], dtype=np.float64)


class Design(NamedTuple):
    """The columns of all terms; the first is the intercept."""

    terms: tuple[Term, ...]
    encoders: Mapping[Factor, Encoder]
    names: tuple[str, ...]
    places: tuple[slice, ...]
    """The columns of each term."""

    def matrix(self, rows: Ints) -> Floats:
        """Return documents × columns."""
        blocks = {factor: one.columns(one.variable.values[rows]) for factor, one in self.encoders.items()}
        parts = [np.ones((len(rows), 1))]
        parts += [_product([blocks[factor] for factor in term.factors]) for term in self.terms]
        return np.concatenate(parts, axis=1)

    def adjusted(self, variable: str, values: Floats, rows: Ints, weight: Floats) -> Floats:
        """Return the mean columns over all documents if a variable had each of the given values: values × columns."""
        share = weight / weight.sum()
        parts = [np.ones((len(values), 1))]
        for term in self.terms:
            inside = [f for f in term.factors if f.variable == variable]
            others = [self.encoders[f].columns(self.encoders[f].variable.values[rows]) for f in term.factors]
            if not inside:
                parts.append(np.tile(share @ _product(others), (len(values), 1)))
                continue
            place = term.factors.index(inside[0])
            own = self.encoders[inside[0]].columns(values)
            n_own = own.shape[1]
            # With the other factors fixed, the mean of the products is linear in the columns of this one
            others[place] = np.ones((len(rows), 1))
            shape = tuple(1 if i == place else block.shape[1] for i, block in enumerate(others))
            rest = (share @ _product(others)).reshape(shape)
            spread = own.reshape(len(values), *(n_own if i == place else 1 for i in range(len(shape))))
            parts.append((spread * rest).reshape(len(values), -1))
        return np.concatenate(parts, axis=1)

    def grid(self, variable: str, rows: Ints) -> tuple[Any, Floats]:
        """Return the values at which a variable is shown, in display form and in the form of the design."""
        one = next(each.variable for factor, each in self.encoders.items() if factor.variable == variable)
        if one.levels:
            return np.array(one.levels, dtype=object), np.arange(len(one.levels), dtype=np.float64)
        values = np.linspace(one.values[rows].min(), one.values[rows].max(), GRID_POINTS)
        return (one.axis.restore(values) if one.axis else values), values


def read_variables(
    data: object, names: Sequence[str], smooth: Sequence[str], factors: Sequence[str], n: int
) -> list[Variable]:
    """Return the named variables of a data frame, an Arrow table or a mapping, one value per document."""
    return [_variable(name, _column(data, name), name in smooth, name in factors, n) for name in names]


def names_of(data: object) -> list[str]:
    """Return the names of the columns of a data frame, an Arrow table or a mapping."""
    if isinstance(data, Mapping):
        return [str(name) for name in data]
    columns = getattr(data, "column_names", None)
    columns = getattr(data, "columns", None) if columns is None else columns
    if columns is None:
        raise InvalidInput(f"data must be a data frame or a mapping of columns, not {type(data).__name__}")
    return [str(name) for name in columns]


def design_of(terms: Sequence[Term], variables: Sequence[Variable], rows: Ints, weight: Floats) -> Design:
    """Return the design of terms for some documents with weights."""
    by_name = {variable.name: variable for variable in variables}
    encoders: dict[Factor, Encoder] = {}
    names, places = ["intercept"], []
    for term in terms:
        for factor in term.factors:
            if factor not in encoders:
                encoders[factor] = _encoder(factor, by_name[factor.variable], rows, weight)
        own = [":".join(parts) for parts in itertools.product(*(encoders[f].names for f in term.factors))]
        places.append(slice(len(names), len(names) + len(own)))
        names += own
    return Design(tuple(terms), encoders, tuple(names), tuple(places))


def _column(data: Any, name: str) -> Any:
    column = data[name]
    return column.combine_chunks() if hasattr(column, "combine_chunks") else column


def _variable(name: str, column: Any, smooth: bool, factor: bool, n: int) -> Variable:
    values = np.asarray(column)
    if values.shape != (n,):
        raise InvalidInput(f"there are {n} documents but the variable {name!r} has {values.shape} values")
    if values.dtype.kind in "iuf" and not factor:
        numbers = values.astype(np.float64)
        if np.isinf(numbers).any():
            raise InvalidInput(
                f"the variable {name!r} has an infinite value at document {int(np.isinf(numbers).argmax())}"
            )
        return Variable(name, numbers)
    if values.dtype.kind == "M" and not factor:
        return _of_times(name, values)
    if smooth:
        try:
            return _of_times(name, column)
        except (ValueError, TypeError) as error:
            raise InvalidInput(f"s({name}) needs numbers or times: {error}") from error
    if factor or values.dtype.kind == "b":
        missing = np.array([value is None or value != value for value in values.tolist()])
        column = values.astype(str).astype(object)
        column[missing] = None
    codes, levels = label_codes(column)
    if not levels:
        raise InvalidInput(f"the variable {name!r} has no value in any document")
    if len(levels) > MOST_LEVELS:
        raise InvalidInput(f"the variable {name!r} has {len(levels):,} levels; at most {MOST_LEVELS} can be compared")
    return Variable(name, codes.astype(np.float64), levels)


def _of_times(name: str, column: Times) -> Variable:
    missing = np.array([value is None or value != value for value in np.asarray(column).tolist()])
    if missing.any():
        known = np.asarray(column)[~missing]
        axis = TimeAxis.of(known)
        values = np.full(len(missing), np.nan)
        values[~missing] = axis.values(known)
        return Variable(name, values, axis=axis)
    axis = TimeAxis.of(column)
    return Variable(name, axis.values(column), axis=axis)


def _encoder(factor: Factor, variable: Variable, rows: Ints, weight: Floats) -> Encoder:
    values, none = variable.values[rows], np.empty(0)
    if variable.levels:
        if factor.kind == "smooth":
            raise InvalidInput(f"s({factor.variable}) needs numbers or times, but {factor.variable!r} has groups")
        if len(variable.levels) < 2:
            raise InvalidInput(
                f"{factor.variable!r} has only the level {variable.levels[0]!r}; no effect can be estimated"
            )
        return Encoder(factor, variable, tuple(f"{factor.variable}={each}" for each in variable.levels[1:]), none, none)
    if len(np.unique(values)) < (factor.n_columns + 1 if factor.kind == "smooth" else 2):
        raise InvalidInput(
            f"{factor} needs more distinct values than {len(np.unique(values))}; use a plain term or a factor"
        )
    if factor.kind != "smooth":
        first = Encoder(factor, variable, (factor.variable,), np.zeros(1), none)
    else:
        inner = np.quantile(values, np.linspace(0, 1, factor.n_columns - 1)[1:-1])
        low, high = float(values.min()), float(values.max())
        knots = np.concatenate([[low] * 4, np.sort(inner), [high] * 4])
        names = tuple(f"{factor}[{i + 1}]" for i in range(factor.n_columns))
        first = Encoder(factor, variable, names, np.zeros(factor.n_columns), knots)
    return first._replace(centre=weight @ first.columns(values) / weight.sum())


def _product(blocks: Sequence[Floats]) -> Floats:
    """Return all products of columns of several blocks."""
    found = blocks[0]
    for block in blocks[1:]:
        found = (found[:, :, None] * block[:, None, :]).reshape(len(found), -1)
    return found
