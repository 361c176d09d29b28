"""The E step of a hidden Markov model under bounds on expected numbers of states, per sequence or over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.inference.bounded_counts import CountBound, bounding_multipliers, dual_terms


class BoundedChains(NamedTuple):
    """q (steps × states), its expected starts and transitions, the value of the dual, and the multipliers."""

    beliefs: Floats
    starts: Floats
    moves: Floats
    value: float
    multipliers: list[Floats]


class ChainSteps(NamedTuple):
    """Sequences by step: log-likelihoods (steps × states), where sequences begin, known states, π and A."""

    logs: Floats
    offsets: Ints
    known: Ints
    initial: Floats
    transition: Floats

    @property
    def sequence(self) -> Ints:
        """The number of the sequence of every step."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def shifted(self, bounds: Sequence[CountBound], multipliers: Sequence[Floats]) -> Floats:
        """Return the log-likelihoods minus the multipliers of the states."""
        logs, sequence = self.logs.copy(), self.sequence
        for bound, part in zip(bounds, multipliers):
            logs -= part[bound.groups[sequence]][:, None] * bound.states
        return logs

    def expect(self, logs: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return beliefs, starts, transitions, and the log-evidence of every sequence."""
        n_states = len(self.initial)
        starts, moves = np.zeros(n_states), np.zeros((n_states, n_states))
        beliefs, evidence = np.zeros_like(logs), np.empty(len(self.offsets) - 1)
        current_kernels().hidden_markov.expect_sequences(
            *(np.arange(len(logs)), self.offsets, self.known, self.initial, self.transition, logs),
            *(evidence, starts, moves, beliefs, np.empty((0, n_states))),
        )
        return beliefs, starts, moves, evidence


def bounded_expectations(steps: ChainSteps, bounds: Sequence[CountBound]) -> BoundedChains:
    """Return the posterior of the states that is nearest to that of the model and has expected counts within bounds."""
    sequence = steps.sequence

    def expected(multipliers: Sequence[Floats]) -> list[Floats]:
        beliefs = steps.expect(steps.shifted(bounds, multipliers))[0]
        found: list[Floats] = []
        for bound in bounds:
            weights = beliefs[:, bound.states].sum(axis=1)
            counts = np.bincount(bound.groups[sequence], weights=weights, minlength=len(bound.low))
            found.append(counts.astype(np.float64))
        return found

    multipliers = bounding_multipliers(expected, bounds)
    logs = steps.shifted(bounds, multipliers)
    beliefs, starts, moves, evidence = steps.expect(logs)
    return BoundedChains(beliefs, starts, moves, float(evidence.sum()) + dual_terms(multipliers, bounds), multipliers)
