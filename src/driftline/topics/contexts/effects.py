r"""Effects of variables on the shares of topics, by a regression of pseudo-values.

The pseudo-value of a document, :math:`\psi_d = m + H^+ S_d\,N/L_d` with N words in total and :math:`L_d` in the
document, is unbiased for its shares (`driftline.topics.word_shares`); a posterior mean is not. It is regressed on the
columns of a formula, :math:`\psi_d \approx Z_d \beta`, with weights :math:`L_d`:

.. math:: \hat\beta = B \sum_d L_d Z_d^\top \psi_d, \quad B = \Bigl(\sum_d L_d Z_d^\top Z_d\Bigr)^{-1}, \quad
          V_k = \sum_u d_{uk} d_{uk}^\top

where u are independent units (documents, authors, threads or days) and :math:`d_{uk}` is the change when unit u is left
out (`driftline.smoothing.regression_influence`, which also has the degrees of freedom). Nothing else is assumed about
the shares. A few units may have most of the words: the degrees of freedom of a combination c of coefficients are
therefore at most

.. math:: \frac{\bigl(\sum_u a_u^2\bigr)^2}{\sum_u a_u^4} - 2, \qquad a_u = c^\top B \sum_{d \in u} L_d Z_d^\top,

where :math:`a_u` is its change if the shares of all documents of unit u change by one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import f as fisher
from scipy.stats import false_discovery_control

from driftline.core.arrays import Floats, Ints, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.fitted_models import FittedTopicModel
from driftline.core.pictures import MOST_BARS, MOST_PANELS, Bars, Curves, Picture, Series
from driftline.core.results import Columns, Result, counted
from driftline.smoothing.curve import Curve
from driftline.smoothing.regression_influence import UnitDesign, combination_errors
from driftline.smoothing.unit_influence import UnitErrors
from driftline.streams.units import Units
from driftline.topics.contexts.design import Design, Variable, design_of, names_of, read_variables
from driftline.topics.contexts.document_contexts import check_shares, independent_units
from driftline.topics.contexts.formula import Term, parse_formula
from driftline.topics.fitted_counts import counts_for
from driftline.topics.word_shares import word_shares

FEWEST_PER_COLUMN = 3
"""Minimum number of units per column of the design."""
FEW = 3.0
"""Degrees of freedom below which a coefficient is reported to depend on few units."""
AT_ONCE = 2**23
"""Number of influences (units × columns × topics) that are computed at once."""


class FewUnitsWarning(UserWarning):
    """Coefficients depend on too few units for effects to be found."""


class Adjusted(NamedTuple):
    """Shares of topics, topics × values, if every document had each of the `values` of a variable."""

    values: np.ndarray
    share: Floats
    lower: Floats
    upper: Floats


class _EffectsFields(NamedTuple):
    """The fields of `Effects`."""

    formula: str
    terms: tuple[str, ...]
    columns: tuple[str, ...]
    coefficient: Floats
    error: Floats
    lower: Floats
    upper: Floats
    p_value: Floats
    term_p_value: Floats
    term_q_value: Floats
    adjusted: dict[str, Adjusted]
    unit: str
    n_units: int
    n_documents: int
    left_out: int
    level: float


class Effects(Result, _EffectsFields):
    """Result of `effects`: topics × columns of the design, and topics × terms.

    `coefficient` is the change of a topic's share with a column, between `lower` and `upper` with the confidence
    `level`, and its `p_value`. `term_p_value` tests all columns of a term together, `term_q_value` is the false
    discovery rate among all topics and terms. ``adjusted["time"]`` contains the shares as a function of a variable,
    with all others at their observed values. `left_out` documents have no words or a missing value. All of this is
    conditional on these topics.
    """

    __slots__ = ()

    def along(self, variable: str) -> Adjusted:
        """Return the shares of topics as a function of one variable of the formula, the others as observed."""
        if variable not in self.adjusted:
            raise InvalidInput(f"no variable {variable!r} in the formula; there are {', '.join(self.adjusted)}")
        return self.adjusted[variable]

    def curve(self, topic: int, variable: str) -> Curve:
        """Return the share of a topic as a function of a number or a time, as a curve."""
        found = self.along(variable)
        if found.values.dtype.kind == "O":
            raise InvalidInput(f"{variable!r} has groups, not numbers; see adjusted[{variable!r}]")
        size = np.full(len(found.values), float(self.n_documents))
        return Curve(found.values, found.share[topic], found.lower[topic], found.upper[topic], size, self.level)

    def _columns(self) -> Columns:
        n_topics, n_columns = self.coefficient.shape
        arrays = ("coefficient", "error", "lower", "upper", "p_value")
        return {
            "topic": np.repeat(np.arange(n_topics), n_columns),
            "column": np.tile(np.asarray(self.columns, dtype=object), n_topics),
            **{name: getattr(self, name).ravel() for name in arrays},
        }

    def _summary(self) -> str:
        found = int((self.term_q_value <= 0.05).sum())
        units = f"{counted(self.n_units, 'unit')} ({self.unit})"
        topics = counted(len(self.coefficient), "topic")
        return f"{self.formula}; {topics}, {counted(found, 'effect')} at 5 %, given these topics, {units}"

    def _picture(self) -> Picture:
        variable = next(iter(self.adjusted))
        found, first = self.adjusted[variable], np.argsort(self.term_p_value[:, 0], kind="stable")
        if found.values.dtype.kind != "O":
            return Curves([Series(f"topic {k}", *self.curve(k, variable)[:4]) for k in first[:MOST_PANELS].tolist()])
        pairs = [(k, i) for k in first.tolist() for i in range(len(found.values))][:MOST_BARS]
        names = [f"topic {k}, {found.values[i]}" for k, i in pairs]
        return Bars(names, 100 * np.array([found.share[k, i] for k, i in pairs]), "share in %")


def effects(
    model: FittedTopicModel,
    X: Matrix,
    formula: str,
    *,
    data: object,
    times: Times = None,
    unit: object = "auto",
    level: float = 0.95,
) -> Effects:
    """Return the effects of variables on the shares of topics.

    Parameters
    ----------
    model : fitted topic model
        Anything with `components_`, topics × words.
    X : sparse or dense counts
        Documents × words.
    formula : str
        Terms such as ``"s(time) + party"``: a variable, ``s(variable)`` for a smooth curve, ``factor(variable)`` for
        groups coded as numbers, ``a:b`` for an interaction, ``a*b`` for both and their interaction.
    data : data frame, Arrow table or mapping of arrays
        The variables, one value per document. Documents with a missing value are left out and counted in `left_out`.
    times : array, optional
        One per document. With times, the independent unit is the day; without them, the document.
    unit : "auto", "day", duration, "document", or array of authors or threads
        The independent unit, as in `coverage`. Documents of the same day, author or thread are rarely independent.
    level : float
        The confidence of each interval.

    >>> rng = np.random.default_rng(0)
    >>> class Known:
    ...     components_ = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]])
    >>> party = np.repeat(["left", "right"], 100)
    >>> X = np.vstack([rng.multinomial(8, [0.4, 0.5, 0.1], 100), rng.multinomial(8, [0.1, 0.5, 0.4], 100)])
    >>> found = effects(Known, X, "party", data={"party": party})
    >>> found.columns, found.coefficient[0].round(1)
    (('intercept', 'party=right'), array([ 0.8, -0.6]))
    """
    check_shares(level=level)
    counts = counts_for(model, X, "effects")
    n = counts.shape[0]
    terms = parse_formula(formula, names_of(data))
    variables = _variables(data, terms, n)
    written, words = word_shares(model.components_, counts)
    kept = (words > 0) & ~np.any([variable.missing for variable in variables], axis=0)
    rows = np.flatnonzero(kept)
    if not len(rows):
        raise InvalidInput("no document has words and all variables of the formula")
    weight = words[rows]
    design = design_of(terms, variables, rows, weight)
    Z = design.matrix(rows)
    units = independent_units(times, unit, n)
    group = np.unique(units.index[rows], return_inverse=True)[1]
    n_units = int(group.max()) + 1
    if n_units < FEWEST_PER_COLUMN * Z.shape[1]:
        raise InvalidInput(
            f"{counted(n_units, 'unit')} ({units.kind}): too few for the {Z.shape[1]} columns of {formula!r}; "
            f"use fewer terms, fewer columns in s(…), or smaller units"
        )
    inverse = _inverse((Z * weight[:, None]).T @ Z, design.names)
    beta = inverse @ (Z.T @ written[rows])  # columns × topics
    by_unit = UnitDesign.of(Z, weight, group, inverse)
    _check_units(by_unit, units, design.names)
    residual = (written[rows] - weight[:, None] * (Z @ beta)) / np.sqrt(weight)[:, None]
    grids = {v.name: _grid(v.name, design, rows, weight) for v in variables}
    combinations = np.vstack([np.eye(Z.shape[1]), *(mean for _, mean in grids.values())])
    freedom = np.minimum(
        by_unit.freedom(combinations), _freedom_of_sizes(Z * weight[:, None], group, inverse, combinations)
    )
    fitted = _fitted(by_unit, residual, beta, combinations, freedom, design.places)
    n_columns = Z.shape[1]
    _warn_of_few(fitted.freedom[:n_columns], design.names, units.kind)
    own = UnitErrors(fitted.errors.error[:, :n_columns], fitted.errors.freedom[:, :n_columns])
    half = own.half_width(level)
    adjusted, begin = {}, n_columns
    for name, (shown, mean) in grids.items():
        part = slice(begin, begin + len(mean))
        errors = UnitErrors(fitted.errors.error[:, part], fitted.errors.freedom[:, part])
        share, wide = (mean @ beta).T, errors.half_width(level)
        adjusted[name] = Adjusted(shown, *(np.clip(each, 0.0, 1.0) for each in (share, share - wide, share + wide)))
        begin = part.stop
    return Effects(
        formula,
        tuple(map(str, terms)),
        design.names,
        beta.T,
        own.error,
        beta.T - half,
        beta.T + half,
        own.p_values(beta.T),
        fitted.term_p_values,
        false_discovery_control(fitted.term_p_values, axis=None).reshape(fitted.term_p_values.shape),
        adjusted,
        units.kind,
        n_units,
        len(rows),
        n - len(rows),
        level,
    )


class _Fitted(NamedTuple):
    """Errors of linear combinations, topics × combinations; their degrees of freedom; p-values of terms."""

    errors: UnitErrors
    freedom: Floats
    term_p_values: Floats


def _fitted(
    by_unit: UnitDesign,
    residual: Floats,
    beta: Floats,
    combinations: Floats,
    freedom: Floats,
    places: Sequence[slice],
) -> _Fitted:
    n_columns, n_topics = beta.shape
    at_once = max(1, AT_ONCE // max(by_unit.n_units * n_columns, 1))
    errors, tested = [], []
    for begin in range(0, n_topics, at_once):
        topics = range(begin, min(begin + at_once, n_topics))
        influence = by_unit.influence(residual[:, topics.start : topics.stop])
        for place, k in enumerate(topics):
            own = influence[:, :, place]
            found = combination_errors(own, combinations, freedom)
            errors.append(found)
            variance = own.T @ own
            tested.append([_test(beta[:, k], variance, at, float(found.freedom[at].min())) for at in places])
    return _Fitted(UnitErrors.stacked(errors), freedom, np.array(tested))


def _freedom_of_sizes(weighted: Floats, group: Ints, inverse: Floats, combinations: Floats) -> Floats:
    """Return the degrees of freedom of combinations if the documents of a unit deviate together, by its size."""
    sums = np.zeros((int(group.max()) + 1, weighted.shape[1]))
    np.add.at(sums, group, weighted)
    squares = (sums @ inverse @ combinations.T) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = squares.sum(axis=0) ** 2 / (squares**2).sum(axis=0) - 2
    return np.maximum(np.nan_to_num(found, nan=1.0), 1.0)


def _check_units(by_unit: UnitDesign, units: Units, names: Sequence[str]) -> None:
    """Refuse columns that depend on a single unit."""
    found = by_unit.alone()
    if found is not None:
        raise InvalidInput(
            f"the column {names[found[1]]!r} depends on a single unit ({units.kind}): without it, nothing is known "
            f"about the column; remove the term, join groups, or use smaller units"
        )


def _warn_of_few(freedom: Floats, names: Sequence[str], kind: str) -> None:
    few = [name for name, value in zip(names, freedom) if value < FEW]
    if few:
        warnings.warn(
            f"{', '.join(map(repr, few))} depend on very few units ({kind}): their intervals are wide, and hardly any "
            f"effect can be found; join groups, remove terms, or use smaller units",
            FewUnitsWarning,
            stacklevel=3,
        )


def _variables(data: object, terms: Sequence[Term], n: int) -> list[Variable]:
    factors = [factor for term in terms for factor in term.factors]
    names = list(dict.fromkeys(factor.variable for factor in factors))
    smooth = [factor.variable for factor in factors if factor.kind == "smooth"]
    grouped = [factor.variable for factor in factors if factor.kind == "factor"]
    both = set(smooth) & set(grouped)
    if both:
        raise InvalidInput(f"{min(both)!r} is both smooth and a factor in the formula; choose one")
    return read_variables(data, names, smooth, grouped, n)


def _inverse(information: Floats, names: Sequence[str]) -> Floats:
    """Return the inverse, or name a column that the others determine."""
    scale = np.sqrt(np.maximum(np.diag(information), np.finfo(np.float64).tiny))
    scaled = information / np.outer(scale, scale)
    for column in range(len(scaled)):
        before = scaled[:column, :column]
        across = scaled[:column, column]
        left = scaled[column, column] - (across @ np.linalg.lstsq(before, across, rcond=None)[0] if column else 0.0)
        if left < 1e-9:
            raise InvalidInput(f"the column {names[column]!r} is determined by those before it; remove a term")
    found: Floats = np.linalg.inv(scaled) / np.outer(scale, scale)
    return found


def _test(beta: Floats, variance: Floats, place: slice, freedom: float) -> float:
    """Return the p-value of all columns of a term together, by Hotelling's T² = βᵀV⁻¹β."""
    own, n = beta[place], place.stop - place.start
    left = freedom - n + 1
    if left <= 0:
        return 1.0
    squared = float(own @ np.linalg.pinv(variance[place, place], hermitian=True) @ own)
    return float(fisher.sf(squared * left / (freedom * n), n, left))


def _grid(name: str, design: Design, rows: Ints, weight: Floats) -> tuple[np.ndarray, Floats]:
    """Return values of a variable, and the mean columns of the design if all documents had each value."""
    shown, values = design.grid(name, rows)
    return np.asarray(shown), design.adjusted(name, values, rows, weight)
