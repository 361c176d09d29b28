r"""The most probable states of a factor graph as an integer program, solved by HiGHS within a time limit.

Indicators :math:`x_{vs}` of states and :math:`y_{fj}` of the joint states of factors maximise
:math:`\sum \theta_{vs} x_{vs} + \sum \theta_{fj} y_{fj}`, where a variable has one state and the joint states of a
factor agree with those of its variables (1).
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp

from driftline.core.arrays import Floats, Ints
from driftline.inference.message_passing import FactorGraph

MOST_COLUMNS = 100_000
"""Largest number of indicators; on larger programs HiGHS exceeds its time limit by minutes."""
GAIN = 1e-7
"""Smallest improvement of the score that counts, relative to it."""


class Solved(NamedTuple):
    """Result of the solver: better states or None, and whether it is proven that no better ones exist."""

    states: Ints | None
    proven: bool


def improve(graph: FactorGraph, score: float, time_limit: float) -> Solved:
    """Search for states with a higher score than a known one; if there are none, prove that it is the highest."""
    sizes = graph.sizes
    first = np.concatenate([[0], np.cumsum(sizes)])
    lengths = np.diff(graph.table_pointers)[graph.table_of]
    n_unary, n_columns = int(first[-1]), int(first[-1] + lengths.sum())
    if n_columns > MOST_COLUMNS:
        return Solved(None, False)
    values = [row[:size] for row, size in zip(graph.unary, sizes)]
    values += [graph.tables[graph.table_pointers[t] : graph.table_pointers[t + 1]] for t in graph.table_of]
    gains = np.concatenate([np.empty(0), *values])
    upper = (gains > -np.inf).astype(np.float64)
    gains = np.where(gains == -np.inf, 0.0, gains)
    matrix, right = _agreement(graph, first, n_unary, n_columns)
    whole = np.zeros(n_columns)
    whole[:n_unary] = 1
    found = milp(
        -gains,
        constraints=LinearConstraint(matrix, right, right),
        bounds=Bounds(np.zeros(n_columns), upper),
        integrality=whole,
        options={"time_limit": time_limit, "mip_rel_gap": 0.0},
    )
    if found.x is None:
        return Solved(None, found.status == 2)
    states = np.array([int(found.x[a:b].argmax()) for a, b in itertools.pairwise(first)])
    return Solved(states if exceeds(graph.score(states), score) else None, found.status == 0)


def exceeds(found: float, score: float) -> bool:
    """Return whether a score is higher than another by more than rounding.

    The comparison is made afterwards: a constraint would be a row of all columns, whose cost exceeds its benefit on
    large programs.
    """
    return found > score + (max(GAIN * abs(score), GAIN) if np.isfinite(score) else 0.0)


def _agreement(graph: FactorGraph, first: Ints, n_unary: int, n_columns: int) -> tuple[sp.csr_matrix, Floats]:
    """Return the equations of (1)."""
    rows: list[int] = []
    columns: list[int] = []
    signs, right, n_rows, column = [], [], 0, n_unary
    for v, size in enumerate(graph.sizes):
        rows += [n_rows] * int(size)
        columns += range(int(first[v]), int(first[v]) + int(size))
        signs += [1.0] * int(size)
        right.append(1.0)
        n_rows += 1
    for f in range(len(graph.table_of)):
        members = graph.variables[graph.pointers[f] : graph.pointers[f + 1]]
        shape = tuple(int(graph.sizes[v]) for v in members)
        cells = np.arange(int(np.prod(shape))).reshape(shape)
        for axis, v in enumerate(members):
            for s in range(shape[axis]):
                inside = (column + np.take(cells, s, axis=axis)).ravel().tolist()
                rows += [n_rows] * (len(inside) + 1)
                columns += [*inside, int(first[v]) + s]
                signs += [*([1.0] * len(inside)), -1.0]
                right.append(0.0)
                n_rows += 1
        column += cells.size
    matrix = sp.csr_matrix((signs, (rows, columns)), shape=(n_rows, n_columns))
    return matrix, np.array(right)
