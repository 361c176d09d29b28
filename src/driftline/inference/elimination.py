"""Exact inference on factor graphs by elimination: a junction tree gives the marginals of all variables at once.

Eliminating a variable joins all factors that contain it into one table over its clique, and sums the variable out. The
tables form a tree: the rest of a clique lies within the clique of the next of its variables that is eliminated. A pass
from the first clique to the last, and one back, make every table the joint distribution of its clique. Graphs in
several parts give several trees. The cost is the number of cells of all tables, which depends on the order; the order
is chosen by min-fill: the next variable is always the one that joins the fewest pairs of other variables.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.core.errors import InvalidInput

MOST_CELLS = 2**25
"""Largest number of cells of one table."""
MOST_CELLS_TOGETHER = 2**27
"""Largest number of cells of all tables."""

Factor = tuple[tuple[int, ...], Floats]
"""Variables, and log-potentials with one axis for each."""


class Clique(NamedTuple):
    """A variable, its clique (sorted, itself included), and the number of the clique that receives its table, or -1."""

    variable: int
    members: tuple[int, ...]
    parent: int


class Exact(NamedTuple):
    """Results of elimination: ln Z, the log-marginals of every variable, and the log-joints of every clique.

    With maximisation, ln Z is the highest score, and `states` are states that reach it.
    """

    log_partition: float
    log_marginals: list[Floats]
    cliques: list[Clique]
    joints: list[Floats]
    states: Ints


def min_fill_order(n_variables: int, scopes: Sequence[Sequence[int]]) -> list[Clique]:
    """Return the cliques of an elimination order in which each variable joins as few pairs as possible.

    >>> [clique.members for clique in min_fill_order(3, [(0, 1), (1, 2)])]
    [(0, 1), (1, 2), (2,)]
    """
    neighbours: list[set[int]] = [set() for _ in range(n_variables)]
    for scope in scopes:
        for v in scope:
            neighbours[v].update(scope)
    for v, near in enumerate(neighbours):
        near.discard(v)
    costs = [(_fill(v, neighbours), len(neighbours[v])) for v in range(n_variables)]
    queue = [(*cost, v) for v, cost in enumerate(costs)]
    heapq.heapify(queue)
    left, found = set(range(n_variables)), []
    while left:
        *cost, v = heapq.heappop(queue)
        if v not in left or tuple(cost) != costs[v]:  # the variable was eliminated, or its cost has changed
            continue
        near = neighbours[v]
        found.append((v, tuple(sorted(near | {v}))))
        left.discard(v)
        changed = set(near)
        for one in near:
            neighbours[one].discard(v)
            new = near - neighbours[one] - {one}
            if new:
                neighbours[one] |= new
                changed |= neighbours[one]
        for one in changed & left:
            costs[one] = (_fill(one, neighbours), len(neighbours[one]))
            heapq.heappush(queue, (*costs[one], one))
    when = {v: number for number, (v, _) in enumerate(found)}
    return [
        Clique(v, members, min((when[other] for other in members if other != v), default=-1)) for v, members in found
    ]


def largest_table(sizes: Sequence[int], cliques: Sequence[Clique]) -> int:
    """Return the number of cells of the largest table."""
    return max((math.prod(sizes[v] for v in clique.members) for clique in cliques), default=0)


def all_tables(sizes: Sequence[int], cliques: Sequence[Clique]) -> int:
    """Return the number of cells of all tables together."""
    return sum(math.prod(sizes[v] for v in clique.members) for clique in cliques)


def eliminate(sizes: Sequence[int], factors: Sequence[Factor], *, maximise: bool = False) -> Exact:
    """Return exact marginals of all variables and ln Z, or the states of the highest score.

    >>> found = eliminate([2, 2], [((0,), np.log([0.2, 0.8])), ((0, 1), np.log([[0.9, 0.1], [0.5, 0.5]]))])
    >>> np.exp(found.log_marginals[1]).round(2)
    array([0.58, 0.42])
    """
    cliques = min_fill_order(len(sizes), [scope for scope, _ in factors])
    n_cells = largest_table(sizes, cliques)
    if n_cells > MOST_CELLS:
        raise InvalidInput(
            f"exact inference would need a table of {n_cells:,} cells (limit {MOST_CELLS:,}); "
            f"use message passing or sampling, or remove dependencies"
        )
    n_together = all_tables(sizes, cliques)
    if n_together > MOST_CELLS_TOGETHER:
        raise InvalidInput(
            f"exact inference would need tables of {n_together:,} cells together (limit {MOST_CELLS_TOGETHER:,}); "
            f"use message passing or sampling, or remove dependencies"
        )
    when = {clique.variable: number for number, clique in enumerate(cliques)}
    tables = [np.zeros([sizes[v] for v in clique.members]) for clique in cliques]
    constant = 0.0
    for scope, values in factors:
        if not scope:
            constant += float(values)
            continue
        home = min(when[v] for v in scope)
        tables[home] = tables[home] + _spread(np.asarray(values), scope, cliques[home].members)
    messages = _collect(cliques, tables, maximise)
    roots = [messages[number] for number, clique in enumerate(cliques) if clique.parent < 0]
    log_partition = constant + float(sum(float(root) for root in roots))
    if log_partition == -np.inf:
        raise InvalidInput("no joint state is possible: the factors forbid all of them")
    if maximise:
        return Exact(log_partition, [], cliques, [], _best_states(len(sizes), cliques, tables))
    return _distribute(len(sizes), cliques, tables, messages, log_partition)


def _collect(cliques: list[Clique], tables: list[Floats], maximise: bool) -> list[Floats]:
    """Sum (or maximise) each variable out of its table, and add the result to the table of the next clique."""
    messages = []
    for number, clique in enumerate(cliques):
        axis = clique.members.index(clique.variable)
        message = tables[number].max(axis=axis) if maximise else log_sum(tables[number], axis)
        messages.append(message)
        if clique.parent >= 0:
            rest = tuple(v for v in clique.members if v != clique.variable)
            tables[clique.parent] = tables[clique.parent] + _spread(message, rest, cliques[clique.parent].members)
    return messages


def _distribute(
    n_variables: int, cliques: list[Clique], tables: list[Floats], messages: list[Floats], log_partition: float
) -> Exact:
    """Make every table the joint distribution of its clique, from the last to the first."""
    marginals: list[Floats] = [np.empty(0)] * n_variables
    for number in range(len(cliques) - 1, -1, -1):
        clique, table = cliques[number], tables[number]
        if clique.parent >= 0:
            outer = cliques[clique.parent].members
            axes = tuple(axis for axis, v in enumerate(outer) if v not in clique.members)
            above = log_sum(tables[clique.parent], axes)
            with np.errstate(invalid="ignore"):
                change = np.where(above == -np.inf, -np.inf, above - messages[number])
            rest = tuple(v for v in clique.members if v != clique.variable)
            table = table + _spread(change, rest, clique.members)
        else:
            table = table - log_sum(table, tuple(range(table.ndim)))
        tables[number] = table
        axis = clique.members.index(clique.variable)
        marginals[clique.variable] = log_sum(table, tuple(a for a in range(table.ndim) if a != axis))
    return Exact(log_partition, marginals, cliques, tables, np.empty(0, dtype=np.int64))


def _best_states(n_variables: int, cliques: list[Clique], tables: list[Floats]) -> Ints:
    """Choose the variables in the reverse order of their elimination, each the best given those before."""
    states = np.zeros(n_variables, dtype=np.int64)
    for clique, table in zip(reversed(cliques), reversed(tables)):
        at = tuple(slice(None) if v == clique.variable else states[v] for v in clique.members)
        states[clique.variable] = int(table[at].argmax())
    return states


def log_sum(table: Floats, axis: int | tuple[int, ...]) -> Floats:
    """Return the logarithm of the sum of exponentials along axes; −∞ where all are."""
    if axis == ():
        return table
    largest = table.max(axis=axis, keepdims=True)
    largest = np.where(largest == -np.inf, 0.0, largest)
    with np.errstate(divide="ignore"):
        found: Floats = np.log(np.exp(table - largest).sum(axis=axis)) + np.squeeze(largest, axis=axis)
    return found


def _spread(values: Floats, scope: tuple[int, ...], members: tuple[int, ...]) -> Floats:
    """Return a table over `scope` with the axes of `members`, of length one where it does not depend on a variable."""
    order = np.argsort(scope)
    values = np.transpose(values, order)
    shape = iter(values.shape)
    inside = set(scope)
    return values.reshape([next(shape) if v in inside else 1 for v in members])


def _fill(v: int, neighbours: list[set[int]]) -> int:
    """Return twice the number of pairs of neighbours that eliminating a variable would join."""
    near = neighbours[v]
    return sum(len(near) - 1 - len(near & neighbours[one]) for one in near)
