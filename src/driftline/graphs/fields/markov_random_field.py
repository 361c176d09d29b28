r"""A Markov random field: variables with finitely many states, and factors that favour some joint states."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator
from driftline.graphs.fields.pseudo_likelihood import learned_weights
from driftline.inference.elimination import all_tables, eliminate, largest_table, min_fill_order
from driftline.inference.field_sampling import climbed, sampled_marginals
from driftline.inference.integer_program import improve
from driftline.inference.message_passing import FactorGraph, propagate

CELLS_BY_DEFAULT = 2**18
"""Maximum size of the largest table for which "auto" is exact."""
CELLS_TOGETHER_BY_DEFAULT = 2**26
"""Maximum number of cells of all tables for which "auto" is exact."""
LARGEST = 1e100
"""Maximum absolute log-potential, so that sums are finite."""
METHODS = ("auto", "exact", "messages", "gibbs")
Variable = Hashable


class Marginals(NamedTuple):
    """Distributions by variable, the method, and whether messages converged; ln Z is NaN after sampling."""

    probabilities: dict[Variable, Floats]
    method: str
    converged: bool
    n_steps: int
    log_partition: float


class BestStates(NamedTuple):
    """Joint states by variable, their score, the method, and whether this score is proven to be the highest."""

    states: dict[Variable, int]
    score: float
    method: str
    proven: bool


class MarkovRandomField:
    r"""Query a distribution that is given by factors.

    .. math:: p(x) \propto \exp \sum_f \theta_f(x_f)                                                              (1)

    Parameters
    ----------
    factors : sequence of (variables, log-potentials)
        The names of a factor's variables, and an array with one axis for each. −∞ forbids a joint state.

    >>> attract = [[1.0, 0.0], [0.0, 1.0]]
    >>> field = MarkovRandomField([(["a"], [2.0, 0.0]), (["a", "b"], attract), (["b", "c"], attract)])
    >>> field.marginals().probabilities["c"].round(3)
    array([0.581, 0.419])
    >>> field.map().states
    {'a': 0, 'b': 0, 'c': 0}
    """

    def __init__(self, factors: Sequence[tuple[Sequence[Variable], object]]) -> None:
        numbers: dict[Variable, int] = {}
        sizes: list[int] = []
        scoped: list[tuple[list[int], Floats]] = []
        for f, given in enumerate(factors):
            members, table = _checked(f, given)
            for name, size in zip(members, table.shape):
                if numbers.setdefault(name, len(numbers)) == len(sizes):
                    sizes.append(size)
                if sizes[numbers[name]] != size:
                    raise InvalidInput(
                        f"factor {f} has {size} states of {name!r}, an earlier one has {sizes[numbers[name]]}"
                    )
            scoped.append(([numbers[name] for name in members], table))
        if not numbers:
            raise InvalidInput("there are no factors; a field needs at least one")
        self.names: tuple[Variable, ...] = tuple(numbers)
        """The variables, in the order in which factors name them."""
        self._factors = scoped
        unary = [np.zeros(size) for size in sizes]
        for members, table in scoped:
            if len(members) == 1:
                unary[members[0]] = unary[members[0]] + table
        joint = [(members, table) for members, table in scoped if len(members) > 1]
        self.graph = FactorGraph.of(unary, joint)
        """The same as plain arrays."""

    def marginals(
        self,
        method: str = "auto",
        *,
        damping: float = 0.0,
        max_steps: int = 200,
        tolerance: float = 1e-6,
        n_sweeps: int = 2000,
        burn_in: int = 200,
        random_state: Seed = None,
    ) -> Marginals:
        """Return the distribution of every variable.

        "exact" eliminates variables on a junction tree, "messages" is sum-product message passing, which is exact
        without cycles, and "gibbs" samples. "auto" means "exact" if tables are small, otherwise "messages".
        """
        if method not in METHODS:
            raise InvalidInput(f"method must be one of {', '.join(map(repr, METHODS))}, not {method!r}")
        if method == "auto":
            method = "exact" if self._is_small() else "messages"
        if method == "exact":
            found = eliminate(self.graph.sizes.tolist(), self._scopes())
            shares = [np.exp(row) for row in found.log_marginals]
            return Marginals(dict(zip(self.names, shares)), "exact", True, 1, found.log_partition)
        if method == "messages":
            beliefs = propagate(self.graph, damping=damping, max_steps=max_steps, tolerance=tolerance)
            named = self._named(np.exp(beliefs.log_probabilities))
            return Marginals(named, "messages", beliefs.converged, beliefs.n_steps, beliefs.log_partition)
        rng = generator(random_state)
        start = self._possible_start(rng)
        table = sampled_marginals(self.graph, n_sweeps=n_sweeps, burn_in=burn_in, rng=rng, start=start)
        return Marginals(self._named(table), "gibbs", True, burn_in + n_sweeps, float("nan"))

    def map(self, *, time_limit: float = 10.0, random_state: Seed = 0) -> BestStates:
        """Return the joint states with the highest score found.

        The search is exact if tables are small. Otherwise it is max-product message passing, then local search, then an
        integer program (HiGHS) that searches for better states until `time_limit` seconds have passed; 0 leaves it out.
        """
        if self._is_small():
            found = eliminate(self.graph.sizes.tolist(), self._scopes(), maximise=True)
            return self._best(found.states, "exact", True)
        rng = generator(random_state)
        states = propagate(self.graph, maximise=True, damping=0.5, max_steps=200).states
        states, score = climbed(self.graph, states, rng)
        method, proven = "max-product and local search", False
        if time_limit > 0:
            solved = improve(self.graph, score, time_limit)
            proven = solved.proven
            if solved.states is not None:
                states, method = solved.states, "integer program"
        return self._best(states, method, proven)

    def score(self, states: Mapping[Variable, int]) -> float:
        """Return the exponent of (1) for the states of all variables."""
        return self.graph.score(self._codes(states))

    def fit_weights(
        self, rows: Sequence[Mapping[Variable, int]], groups: Sequence[int] | None = None, penalty: float = 1.0
    ) -> tuple[MarkovRandomField, Floats]:
        """Return the field with weighted factors, and the weights that maximise the pseudo-likelihood of joint states.

        `groups` numbers the factors with more than one variable that share a weight, from 0 in the order of the
        factors; by default each has its own. The penalty shrinks weights towards one.
        """
        joint = [f for f, (members, _) in enumerate(self._factors) if len(members) > 1]
        given = np.arange(len(joint)) if groups is None else np.asarray(groups, dtype=np.int64)
        if given.shape != (len(joint),) or (given.size and given.min() < 0):
            raise InvalidInput(
                f"groups needs one number from 0 for each of the {len(joint)} factors of several variables"
            )
        if not rows:
            raise InvalidInput("there are no observed states; weights cannot be learned")
        codes = np.array([self._codes(row) for row in rows])
        weights, _ = learned_weights(self.graph, codes, given, penalty)
        factors = []
        for f, (members, table) in enumerate(self._factors):
            weight = weights[given[joint.index(f)]] if f in joint else 1.0
            with np.errstate(invalid="ignore"):
                scaled = np.where(table == -np.inf, -np.inf, weight * table)
            factors.append(([self.names[v] for v in members], scaled))
        return MarkovRandomField(factors), weights

    def _best(self, states: Ints, method: str, proven: bool) -> BestStates:
        score = self.graph.score(states)
        if score == -np.inf:
            raise InvalidInput("no joint state that the factors allow was found; they may forbid all of them")
        return BestStates(dict(zip(self.names, states.tolist())), score, method, proven)

    def _named(self, table: Floats) -> dict[Variable, Floats]:
        return {name: table[v, : self.graph.sizes[v]] for v, name in enumerate(self.names)}

    def _codes(self, states: Mapping[Variable, int]) -> Ints:
        absent = [name for name in self.names if name not in states]
        if absent:
            raise InvalidInput(f"there is no state of {absent[0]!r}; pass one for every variable")
        codes = np.array([int(states[name]) for name in self.names], dtype=np.int64)
        wrong = np.flatnonzero((codes < 0) | (codes >= self.graph.sizes))
        if len(wrong):
            name = self.names[int(wrong[0])]
            raise InvalidInput(f"{name!r} has no state {states[name]}; it has {self.graph.sizes[wrong[0]]} from 0")
        return codes

    def _scopes(self) -> list[tuple[tuple[int, ...], Floats]]:
        return [(tuple(members), table) for members, table in self._factors]

    def _is_small(self) -> bool:
        """Return whether exact inference is cheap."""
        cliques = min_fill_order(len(self.names), [members for members, _ in self._factors])
        sizes = self.graph.sizes.tolist()
        if largest_table(sizes, cliques) > CELLS_BY_DEFAULT:
            return False
        return all_tables(sizes, cliques) <= CELLS_TOGETHER_BY_DEFAULT

    def _possible_start(self, rng: np.random.Generator) -> Ints:
        """Return states that the factors allow; a chain started from other states might never leave them."""
        states = propagate(self.graph, maximise=True, damping=0.5, max_steps=50).states
        states, score = climbed(self.graph, states, rng, n_sweeps=20)
        if score == -np.inf:
            raise InvalidInput("no initial joint state that the factors allow was found; use method='exact'")
        return states


def _checked(f: int, given: tuple[Sequence[Variable], object]) -> tuple[list[Variable], Floats]:
    """Return the variables and the log-potentials of a factor."""
    try:
        members, values = given
        names: list[Variable] = [members] if isinstance(members, str) else list(members)
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"factor {f} must be (variables, log-potentials), not {str(given)[:60]}") from None
    if not names or table.ndim != len(names) or 0 in table.shape or len(set(names)) < len(names):
        raise InvalidInput(
            f"factor {f} has {len(names)} variables and log-potentials of shape {table.shape}; "
            f"name different variables, and pass one axis for each"
        )
    if not ((np.abs(table) <= LARGEST) | (table == -np.inf)).all():
        raise InvalidInput(
            f"factor {f} contains NaN, infinity or a number beyond ±{LARGEST:g}; "
            f"log-potentials are numbers, −∞ forbids a state"
        )
    return names, table
