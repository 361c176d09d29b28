"""Gibbs sampling and hill climbing on factor graphs, one variable at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.inference.gibbs import Gibbs
from driftline.inference.message_passing import FactorGraph
from driftline.inference.run import Keep, run
from driftline.inference.stopping import Stop


class Field(NamedTuple):
    """A factor graph with the slots of every variable, for compiled loops."""

    graph: FactorGraph
    starts: Ints
    slots: Ints
    factor_of: Ints
    start: Ints

    @classmethod
    def of(cls, graph: FactorGraph, start: Ints | None = None) -> Field:
        """Return the field of a graph; chains begin with the states `start`, by default each variable's best."""
        n_slots = np.bincount(graph.variables, minlength=len(graph.sizes))
        starts = np.concatenate([[0], np.cumsum(n_slots)])
        factor_of = np.repeat(np.arange(len(graph.pointers) - 1), np.diff(graph.pointers))
        first = graph.unary.argmax(axis=1) if start is None else np.asarray(start, dtype=np.int64)
        return cls(graph, starts, np.argsort(graph.variables, kind="stable"), factor_of, first)

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """The arguments of compiled loops."""
        return *self.graph.fixed, self.graph.unary, self.starts, self.slots, self.factor_of


class Drawn(NamedTuple):
    """The state of a chain: the states of all variables."""

    states: Ints


def _begin(field: Field, rng: np.random.Generator) -> Drawn:
    return Drawn(field.start.copy())


def _sweep(drawn: Drawn, field: Field, rng: np.random.Generator) -> Drawn:
    order = rng.permutation(len(drawn.states))
    current_kernels().fields.sweep(order, drawn.states, rng.random(len(order)), 1.0, *field.arrays)
    return drawn


FIELD_GIBBS = Gibbs(_begin, (_sweep,))
"""Gibbs sampling: every variable in turn, in random order, is drawn given the others."""


def sampled_marginals(
    graph: FactorGraph, *, n_sweeps: int, burn_in: int, rng: np.random.Generator, start: Ints | None = None
) -> Floats:
    """Return the shares of states over the sweeps of one chain: variables × states."""
    n_states = graph.unary.shape[1]

    def fold(sums: Floats | None, drawn: Drawn) -> Floats:
        sums = np.zeros((len(drawn.states), n_states)) if sums is None else sums
        sums[np.arange(len(drawn.states)), drawn.states] += 1
        return sums

    keep = Keep(burn_in=burn_in, fold=fold)
    done = run(FIELD_GIBBS, Field.of(graph, start), stop=Stop(burn_in + n_sweeps), keep=keep, rng=rng, progress="Gibbs")
    return np.asarray(done.result[0]) / n_sweeps


def climbed(graph: FactorGraph, start: Ints, rng: np.random.Generator, n_sweeps: int = 200) -> tuple[Ints, float]:
    """Return states of a higher score, by sampling at a falling temperature and then climbing; never of a lower one."""
    field = Field.of(graph, start)
    best, best_score = start.copy(), graph.score(start)
    if not len(start):
        return best, best_score
    for states, heats in ((start.copy(), ()), (start.copy(), np.geomspace(1.0, 0.02, n_sweeps))):
        for temperature in heats:
            order = rng.permutation(len(states))
            current_kernels().fields.sweep(order, states, rng.random(len(order)), float(temperature), *field.arrays)
        while current_kernels().fields.climb(rng.permutation(len(states)), states, *field.arrays):
            pass
        score = graph.score(states)
        if score > best_score:
            best, best_score = states.copy(), score
    return best, best_score
