r"""A Bayesian network: the joint distribution of categories, as one table per variable given its parents."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.sklearn_private import Constraints, Interval, fit_context
from driftline.base.state_layout import Anything, Each, Flag, Layout, Number, Text
from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput, ModelFileError
from driftline.core.randomness import Seed, generator
from driftline.graphs.bayes.coded_table import Table, Value, codes_of, columns_of, states_of
from driftline.graphs.bayes.family_counts import (
    FAMILY_EM,
    Tables,
    count_families,
    distinct_rows,
    family_sizes,
    normalised,
    posterior,
)
from driftline.graphs.bayes.structure import Edges, Structure
from driftline.inference.elimination import Exact, Factor, eliminate
from driftline.inference.run import run
from driftline.inference.stopping import SmallRise, Stop

SUMS_TO_ONE = 1e-6
"""Largest deviation of the sum of a given distribution from one."""


class BayesianNetwork(DriftEstimator):
    r"""Learn and query a joint distribution of categories with known dependencies.

    The distribution of variables x with parents pa is

    .. math:: p(x) = \prod_v p(x_v \mid x_{\mathrm{pa}(v)}),                                                      (1)

    with tables estimated from counts plus a prior, or by EM if values are missing. Queries are exact: irrelevant
    variables are left out, and one junction tree gives the distributions of all others.

    Parameters
    ----------
    structure : mapping from variables to their parents, or pairs (parent, child)
        The dependencies; a variable without any may be listed alone. Cycles are an error.
    prior : float
        Count added to every cell of every table.
    max_steps, tolerance : int, float
        Maximum number of EM steps, and the relative increase of the objective below which EM stops.
    random_state : int, optional
        Seed of the initial tables of EM.

    Attributes
    ----------
    names_, states_ : the variables, parents first, and the states of each.
    tables_ : p(variable | parents) of each: one axis per parent in the order of the structure, the last for itself.
    n_steps_, converged_ : steps of EM (0 if nothing was missing), and whether it converged.

    Examples
    --------
    >>> rows = {"rain": ["no", "no", "yes", "yes"], "grass": ["dry", "dry", "wet", "wet"]}
    >>> network = BayesianNetwork({"grass": ["rain"]}, prior=1.0).fit(rows)
    >>> {state: round(p, 2) for state, p in network.query({"grass": "wet"})["rain"].items()}
    {'no': 0.25, 'yes': 0.75}
    """

    _state_layout: ClassVar[Layout | None] = {
        "names_": Each(Text(), "variables"),
        "parents_": Each(Each(Number(least=0, whole=True)), "variables"),
        "states_": Each(Anything(), "variables"),
        "tables_": Each(Anything(), "variables"),
        "n_steps_": Number(least=0, whole=True),
        "converged_": Flag(),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        "structure": "no_validation",
        "prior": [Interval(Real, 0, None, closed="left")],
        "max_steps": [Interval(Integral, 1, None, closed="left")],
        "tolerance": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        structure: Edges,
        prior: float = 1.0,
        max_steps: int = 200,
        tolerance: float = 1e-6,
        random_state: Seed = None,
    ) -> None:
        self.structure = structure
        self.prior = prior
        self.max_steps = max_steps
        self.tolerance = tolerance
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, table: Table, y: object = None, *, states: Mapping[str, Sequence[Value]] | None = None
    ) -> BayesianNetwork:
        """Learn the tables from rows: a mapping from names to columns, an Arrow table, or a data frame.

        None and NaN are missing values. `states` lists the states of variables if the rows do not contain all of them.
        """
        structure = Structure.of(self.structure)
        columns = columns_of(table, structure.names)
        given = dict(states or {})
        for name in given:
            structure.number(name)
        self._describe(structure, [list(given.get(n) or states_of(columns[n], n)) for n in structure.names])
        pairs = zip(columns.items(), self.states_)
        codes = np.column_stack([codes_of(column, known, name) for (name, column), known in pairs])
        rows = distinct_rows(structure, self._sizes, codes, float(self.prior))
        for v in range(len(rows.sizes)):
            if int(np.prod(family_sizes(rows, v), dtype=object)) > 2**26:
                raise InvalidInput(f"the table of {structure.names[v]!r} is too large; use fewer parents or states")
        self.n_steps_, self.converged_ = 0, True
        if (codes >= 0).all():
            tables: Tables = tuple(normalised(count_families(rows, v) + rows.prior) for v in range(len(rows.sizes)))
        else:
            stop = Stop(self.max_steps, SmallRise(float(self.tolerance)))
            done = run(FAMILY_EM, rows, stop=stop, rng=generator(self.random_state), progress="EM")
            tables = done.result
            self.n_steps_, self.converged_ = int(done.n_steps[0]), bool(done.converged[0])
        self.tables_ = list(tables)
        return self

    def set_tables(
        self, tables: Mapping[str, object], states: Mapping[str, Sequence[Value]] | None = None
    ) -> BayesianNetwork:
        """Use given tables instead of learned ones: p(variable | parents), one axis per parent, the last for itself."""
        structure = Structure.of(self.structure)
        absent = [name for name in structure.names if name not in tables]
        if absent:
            raise InvalidInput(f"there is no table for {absent[0]!r}; pass one for every variable")
        given = dict(states or {})
        arrays = [np.asarray(tables[name], dtype=np.float64) for name in structure.names]
        if any(array.ndim == 0 for array in arrays):
            raise InvalidInput("a table has at least one axis, that of the variable itself")
        self._describe(
            structure, [list(given.get(name, range(a.shape[-1]))) for name, a in zip(structure.names, arrays)]
        )
        for name, above, array in zip(structure.names, structure.parents, arrays):
            wanted = (*(self._sizes[one] for one in above), self._sizes[structure.number(name)])
            if array.shape != wanted:
                raise InvalidInput(f"the table of {name!r} has the shape {array.shape}, not {wanted}")
            sums = array.sum(axis=-1)
            if not (array >= 0).all() or not (np.abs(sums - 1) <= SUMS_TO_ONE).all():
                raise InvalidInput(
                    f"the rows of the table of {name!r} must be probabilities that sum to 1; one sums to "
                    f"{sums.ravel()[np.abs(sums - 1).argmax()]:g}"
                )
        self.tables_ = [normalised(array) for array in arrays]
        self.n_steps_, self.converged_ = 0, True
        return self

    def query(
        self, evidence: Mapping[str, Value] | None = None, variables: Collection[str] | None = None
    ) -> dict[str, dict[Value, float]]:
        """Return the distribution of variables (by default, of all others) given the values of some."""
        row = self._row(evidence)
        structure = self._structure
        names = [n for v, n in enumerate(structure.names) if row[v] < 0] if variables is None else list(variables)
        wanted = [structure.number(name) for name in names]
        open_ones = [v for v in wanted if row[v] < 0]
        self._check_possible(row)
        marginals = dict(zip(open_ones, self._marginals(row, open_ones)))
        found = {}
        for name, v in zip(names, wanted):
            shares = marginals[v] if v in marginals else np.eye(self._sizes[v])[row[v]]
            found[name] = dict(zip(self.states_[v], shares.tolist()))
        return found

    def map(self, evidence: Mapping[str, Value] | None = None) -> dict[str, Value]:
        """Return the most probable joint states of all variables given the values of some."""
        row = self._row(evidence)
        missing = np.flatnonzero(row < 0)
        inside = {int(v): i for i, v in enumerate(missing)}
        row[missing] = self._eliminated(row, inside, range(len(row)), maximise=True).states
        return {name: self.states_[v][row[v]] for v, name in enumerate(self.names_)}

    def sample(self, n: int = 1, random_state: Seed = None) -> dict[str, list[Value]]:
        """Draw rows from the joint distribution; the result is a table by columns."""
        check_is_fitted(self)
        rng = generator(random_state)
        codes = np.zeros((n, len(self.names_)), dtype=np.int64)
        for v, above in enumerate(self.parents_):
            shares = self.tables_[v][tuple(codes[:, one] for one in above)]
            limits = np.cumsum(np.broadcast_to(shares, (n, self._sizes[v])), axis=1)
            codes[:, v] = (rng.random(n)[:, None] * limits[:, -1:] >= limits).sum(axis=1)
        return {name: [self.states_[v][code] for code in codes[:, v]] for v, name in enumerate(self.names_)}

    def score_samples(self, table: Table) -> Floats:
        """Return ln p of every row; missing values are summed over."""
        check_is_fitted(self)
        columns = columns_of(table, self.names_)
        codes = np.column_stack([codes_of(columns[n], s, n) for n, s in zip(self.names_, self.states_)])
        logs = self._logs
        parents = tuple(map(tuple, self.parents_))
        rows, places = np.unique(codes, axis=0, return_inverse=True)
        found = [posterior(parents, self._sizes, logs, row)[0].log_partition for row in rows]
        return np.array(found)[places.ravel()]

    def d_separated(self, one: str, other: str, given: Collection[str] = ()) -> bool:
        """Return whether two variables are independent given others, whatever the tables."""
        structure = Structure.of(self.structure)
        observed = [structure.number(name) for name in given]
        return structure.number(other) not in structure.reached([structure.number(one)], observed)

    @property
    def _structure(self) -> Structure:
        return Structure(tuple(self.names_), tuple(map(tuple, self.parents_)))

    @property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(map(len, self.states_))

    @property
    def _logs(self) -> list[Floats]:
        with np.errstate(divide="ignore"):
            return [np.log(table) for table in self.tables_]

    def _describe(self, structure: Structure, states: list[list[Value]]) -> None:
        for name, known in zip(structure.names, states):
            if len(set(known)) < len(known) or not known:
                raise InvalidInput(f"the states of {name!r} must be one or more distinct values, not {known!r}")
        self.names_, self.parents_ = list(structure.names), [list(above) for above in structure.parents]
        self.states_ = states

    def _row(self, evidence: Mapping[str, Value] | None) -> Ints:
        """Return evidence as codes; −1 if a value is unknown."""
        check_is_fitted(self)
        row = np.full(len(self.names_), -1, dtype=np.int64)
        for name, value in dict(evidence or {}).items():
            v = self._structure.number(name)
            row[v] = codes_of([value], self.states_[v], name)[0]
        return row

    def _marginals(self, row: Ints, wanted: Sequence[int]) -> list[Floats]:
        """Return the distributions of unobserved variables, on the part of the network that is relevant to them."""
        structure, observed = self._structure, [int(v) for v in np.flatnonzero(row >= 0)]
        relevant = structure.ancestors([*wanted, *observed])
        linked = structure.reached(wanted, observed) | set(wanted)
        inside = {v: i for i, v in enumerate(sorted(relevant & linked))}
        families = [v for v in sorted(relevant) if any(one in inside for one in (*structure.parents[v], v))]
        # A table whose variables are all d-separated from the queried ones is a constant factor
        cut = row.copy()
        cut[[v for v in relevant if v not in inside and row[v] < 0]] = 0
        found = self._eliminated(cut, inside, families)
        return [np.exp(found.log_marginals[inside[v]]) for v in wanted]

    def _check_possible(self, row: Ints) -> None:
        """Raise an error if the evidence has probability zero, anywhere in the network."""
        if all((table > 0).all() for table in self.tables_):
            return
        relevant = self._structure.ancestors(int(v) for v in np.flatnonzero(row >= 0))
        self._eliminated(row, {v: i for i, v in enumerate(sorted(v for v in relevant if row[v] < 0))}, relevant)

    def _eliminated(
        self, row: Ints, inside: Mapping[int, int], families: Collection[int], maximise: bool = False
    ) -> Exact:
        """Eliminate the variables `inside` from the tables of `families`, the others fixed."""
        try:
            return eliminate([self._sizes[v] for v in inside], self._factors(row, inside, families), maximise=maximise)
        except InvalidInput as error:
            if "no joint state" not in str(error):
                raise
            raise InvalidInput("the evidence has probability 0 in this network; use a prior above 0") from error

    def _factors(self, row: Ints, inside: Mapping[int, int], families: Collection[int]) -> list[Factor]:
        """Return tables as factors over the variables `inside`, the others fixed to the states of the row."""
        factors: list[Factor] = []
        logs = self._logs
        for v in families:
            family = (*self.parents_[v], v)
            reduced = logs[v][tuple(slice(None) if one in inside else int(row[one]) for one in family)]
            factors.append((tuple(inside[one] for one in family if one in inside), np.asarray(reduced)))
        return factors

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if not hasattr(self, "tables_"):
            return sizes
        for v, (above, known, table) in enumerate(zip(self.parents_, self.states_, self.tables_)):
            shape = (*(len(self.states_[one]) if one < v else -1 for one in above), len(known))
            right = isinstance(table, np.ndarray) and table.shape == shape and table.dtype == np.float64
            if not right or not (table >= 0).all() or not np.allclose(table.sum(axis=-1), 1):
                raise ModelFileError(f"the table of {self.names_[v]!r} is damaged; restore the model")
        return sizes
