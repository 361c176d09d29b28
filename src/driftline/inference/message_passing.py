r"""Message passing on factor graphs: marginals by sum-product, the most probable states by max-product.

A factor graph is a distribution over variables with finitely many states each,

.. math:: p(x) \propto \exp\Bigl(\sum_v \theta_v(x_v) + \sum_f \theta_f(x_f)\Bigr).                               (1)

Factors and variables send messages to each other until none of them changes. On a tree one step, from the leaves to the
root and back, makes all beliefs exact. On a graph with cycles the messages need not converge, and beliefs are those of
the Bethe approximation, which is inaccurate for strong factors; damping helps convergence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, connected_components

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.inference.contract import Info
from driftline.inference.run import run
from driftline.inference.stopping import LittleMoved, Stop


class FactorGraph(NamedTuple):
    """A factor graph (1) as plain arrays; create one with `of` or `pairwise`.

    `unary` is variables × states, −∞ beyond a variable's number of states (`sizes`). The variables of factor f are
    `variables[pointers[f] : pointers[f + 1]]`, its log-potentials the table number `table_of[f]`. `order` lists the
    factors from the leaves to the roots of trees that span the graph; without cycles, these trees are the graph.
    """

    sizes: Ints
    unary: Floats
    pointers: Ints
    variables: Ints
    table_of: Ints
    table_pointers: Ints
    tables: Floats
    order: Ints
    is_tree: bool

    @classmethod
    def of(
        cls, unary: Sequence[Sequence[float] | Floats], factors: Sequence[tuple[Sequence[int], npt.ArrayLike]]
    ) -> FactorGraph:
        """Create a graph from the variables' log-potentials, and factors: the variables and log-potentials of each.

        >>> graph = FactorGraph.of([[0.0, 1.0], [0.0, 0.0, 0.0]], [((0, 1), np.zeros((2, 3)))])
        >>> graph.is_tree
        True
        """
        sizes = np.array([len(row) for row in unary], dtype=np.int64)
        padded = np.full((len(sizes), int(sizes.max(initial=0))), -np.inf)
        for row, given in zip(padded, unary):
            row[: len(given)] = given
        tables = [np.asarray(table, dtype=np.float64) for _, table in factors]
        for f, ((members, _), table) in enumerate(zip(factors, tables)):
            wanted = tuple(int(sizes[v]) for v in members)
            if table.shape != wanted or len({*members}) < len(members):
                raise InvalidInput(
                    f"factor {f} has log-potentials of shape {table.shape} for the variables {tuple(members)}; "
                    f"name different variables, and pass one axis for each, here {wanted}"
                )
        pointers = np.cumsum([0, *(len(members) for members, _ in factors)])
        variables = np.array([v for members, _ in factors for v in members], dtype=np.int64)
        lengths = np.cumsum([0, *(table.size for table in tables)])
        flat = np.concatenate([np.empty(0), *(table.ravel() for table in tables)])
        return cls._made(sizes, padded, pointers, variables, np.arange(len(tables)), lengths, flat)

    @classmethod
    def pairwise(cls, unary: npt.ArrayLike, links: npt.ArrayLike, table: npt.ArrayLike) -> FactorGraph:
        """Create a graph from variables × states, links (pairs of variables), and their common log-potentials."""
        unary, links = np.array(unary, dtype=np.float64), np.asarray(links, dtype=np.int64).reshape(-1, 2)
        table = np.array(table, dtype=np.float64)
        if table.shape != (unary.shape[1],) * 2:
            raise InvalidInput(
                f"the log-potentials of a link are {unary.shape[1]} × {unary.shape[1]}, not {table.shape}"
            )
        loops = np.flatnonzero(links[:, 0] == links[:, 1])
        if len(loops):
            raise InvalidInput(f"link {loops[0]} joins variable {links[loops[0], 0]} to itself; remove it")
        sizes, none = np.full(len(unary), unary.shape[1], dtype=np.int64), np.zeros(len(links), dtype=np.int64)
        pointers, lengths = np.arange(0, 2 * len(links) + 1, 2), np.array([0, table.size])
        return cls._made(sizes, unary, pointers, links.ravel(), none, lengths, table.ravel())

    @classmethod
    def _made(
        cls, sizes: Ints, unary: Floats, pointers: Ints, variables: Ints, table_of: Ints, lengths: Ints, tables: Floats
    ) -> FactorGraph:
        if variables.size and not 0 <= variables.min() <= variables.max() < len(sizes):
            raise InvalidInput(f"a factor names a variable that is not among the {len(sizes)}")
        if np.isnan(unary).any() or np.isnan(tables).any() or np.isposinf(unary).any() or np.isposinf(tables).any():
            raise InvalidInput("log-potentials must be numbers below infinity; −∞ forbids a state")
        order, is_tree = _from_leaves(len(sizes), pointers, variables)
        return cls(sizes, unary, pointers, variables, table_of, lengths, tables, order, is_tree)

    @property
    def fixed(self) -> tuple[np.ndarray, ...]:
        """The factors as arguments of compiled loops."""
        return self[0], self[2], self[3], self[4], self[5], self[6]

    def score(self, states: npt.ArrayLike) -> float:
        """Return the exponent of (1) for one state of every variable."""
        states = np.asarray(states)
        total = float(self.unary[np.arange(len(states)), states].sum())
        for f, number in enumerate(self.table_of):
            members = self.variables[self.pointers[f] : self.pointers[f + 1]]
            at = np.ravel_multi_index(tuple(states[members]), tuple(self.sizes[members]))
            total += float(self.tables[self.table_pointers[number] + at])
        return total


class Messages(NamedTuple):
    """The state: the last message of every factor to each of its variables, and their sums at the variables."""

    messages: Floats
    sums: Floats
    impossible: Ints


class Beliefs(NamedTuple):
    """Beliefs from the messages.

    `log_probabilities` is variables × states: the marginals, or with max-product the highest log-probability of all
    joint states with this one, relative to the best. `log_partition` is that of the Bethe approximation, exact on trees
    (with max-product: the score of the most probable states). `moved` is the largest change of a message in the last
    step.
    """

    log_probabilities: Floats
    log_partition: float
    converged: bool
    n_steps: int
    moved: float

    @property
    def states(self) -> Ints:
        """The most probable state of every variable; of equal ones the first, so ties may be inconsistent."""
        return np.asarray(self.log_probabilities.argmax(axis=1))


@dataclass(frozen=True)
class MessagePassing:
    """Send messages along all factors, from the leaves to the roots and back.

    Parameters
    ----------
    maximise : bool
        Max-product instead of sum-product.
    damping : float
        Weight of the old logarithm of a message, from zero to less than one.
    """

    maximise: bool = False
    damping: float = 0.0

    def init(self, problem: FactorGraph, rng: np.random.Generator) -> Messages:
        """Start with uniform messages."""
        messages = np.zeros((len(problem.variables), problem.unary.shape[1]))
        if not self.maximise:
            messages -= np.log(problem.sizes)[problem.variables, None]
        sums, impossible = problem.unary.copy(), np.isneginf(problem.unary).astype(np.int64)
        sums[impossible > 0] = 0.0
        np.add.at(sums, problem.variables, messages)
        return Messages(messages, sums, impossible)

    def step(self, state: Messages, problem: FactorGraph, rng: np.random.Generator) -> tuple[Messages, Info]:
        """Sweep over the factors in order and back; the reported change is the largest on the way back."""
        moved = 0.0
        for order in (problem.order, problem.order[::-1]):
            moved = current_kernels().message_passing.send_messages(
                order, self.maximise, float(self.damping), *problem.fixed, *state
            )
            if np.isnan(moved):
                raise _impossible()
        return state, Info(moved=float(moved))

    def summary(self, states: Sequence[Messages]) -> Messages:
        """Return the messages reached."""
        return states[-1]


def propagate(
    graph: FactorGraph, *, maximise: bool = False, damping: float = 0.0, max_steps: int = 100, tolerance: float = 1e-6
) -> Beliefs:
    """Return the beliefs when no message changes by more than `tolerance`; on a tree, after one step.

    >>> attract = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> graph = FactorGraph.pairwise([[2.0, 0.0], [0.0, 0.0], [0.0, 0.0]], [(0, 1), (1, 2)], attract)
    >>> np.exp(propagate(graph).log_probabilities).round(3)
    array([[0.881, 0.119],
           [0.676, 0.324],
           [0.581, 0.419]])
    """
    method = MessagePassing(maximise, 0.0 if graph.is_tree else damping)
    stop = Stop(1) if graph.is_tree else Stop(max_steps, LittleMoved(tolerance))
    done = run(method, graph, stop=stop, progress="Passing messages")
    beliefs = np.empty_like(graph.unary)
    total = current_kernels().message_passing.log_partition(maximise, *graph.fixed, *done.result, beliefs)
    if not np.isfinite(total):
        raise _impossible()
    converged = graph.is_tree or bool(done.converged[0])
    return Beliefs(beliefs, float(total), converged, int(done.n_steps[0]), done.infos[0][-1].moved)


def _impossible() -> InvalidInput:
    return InvalidInput("no joint state is possible: the factors forbid all of them")


def _from_leaves(n_variables: int, pointers: Ints, variables: Ints) -> tuple[Ints, bool]:
    """Return the factors in the reverse order of a breadth-first search, and whether there is no cycle."""
    n_factors = len(pointers) - 1
    n = n_variables + n_factors
    ends = (n_variables + np.repeat(np.arange(n_factors), np.diff(pointers)), variables)
    graph = sp.csr_matrix((np.ones(len(variables)), ends), shape=(n, n))
    n_parts, part = connected_components(graph, directed=False)
    roots = np.unique(part, return_index=True)[1]
    # an extra node is connected to the first variable of every component, so that one search reaches all of them
    starts = sp.csr_matrix((np.ones(len(roots)), (np.zeros(len(roots), dtype=np.int64), roots)), shape=(1, n))
    joined = sp.bmat([[None, starts], [sp.csr_matrix((n, 1)), graph]], format="csr")
    seen = breadth_first_order(joined, 0, directed=False, return_predecessors=False) - 1
    factors = seen[seen >= n_variables] - n_variables
    return np.ascontiguousarray(factors[::-1].astype(np.int64)), len(variables) == n - n_parts
