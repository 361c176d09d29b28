r"""Particle filters: a weighted sample of hidden states, updated observation by observation.

Before observation t a particle draws its next value :math:`x_t \sim p(x_t \mid x_{t-1})`; its weight is then multiplied
by :math:`p(y_t \mid x_t)`. The product of the mean weights is an unbiased estimate of the evidence (1). Whenever the
effective number of particles is low, :math:`1 / \sum_i w_i^2 < \mathrm{below} \cdot N`, particles are resampled in
proportion to their weights (2), which concentrates them where the probability is high.

A step of the method processes a block of observations in one call of a compiled loop; all such loops resample with the
module `resampling` of the kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from driftline.core.arrays import Floats
from driftline.core.errors import InvalidInput
from driftline.inference.contract import Info
from driftline.inference.run import run
from driftline.inference.stopping import Stop

Problem = TypeVar("Problem")
Values = TypeVar("Values")
Trace = TypeVar("Trace")

BLOCK = 1024
"""Number of observations per step."""

SCHEMES = ("systematic", "stratified")
"""Resampling schemes: at evenly spaced points, or at a random point of every interval between them."""


class Resampling(NamedTuple):
    """The resampling scheme, and the effective share below which it is applied (2)."""

    scheme: str = SCHEMES[0]
    below: float = 0.5

    def arguments(self) -> tuple[bool, float]:
        """Return the arguments of compiled loops: whether the draw is stratified, and the share.

        >>> Resampling("stratified").arguments()
        (True, 0.5)
        """
        if self.scheme not in SCHEMES:
            raise InvalidInput(f"resampling must be {' or '.join(SCHEMES)}, not {self.scheme!r}")
        return self.scheme == SCHEMES[1], float(self.below)


WHEN_HALF_COUNT = Resampling()
"""Systematic resampling if the effective share falls below one half."""


class Particles(NamedTuple, Generic[Values, Trace]):
    """The state: values with one row per particle, weights that sum to one, and the position of the filter.

    `log_evidence` is the logarithm of (1) for the first `position` observations; `trace` contains the record of each
    observation, in arrays allocated for all of them.
    """

    values: Values
    weights: Floats
    log_evidence: float
    position: int
    trace: Trace


@dataclass(frozen=True)
class ParticleFilter(Generic[Problem, Values, Trace]):
    """Process all observations once, one block per step.

    Parameters
    ----------
    begin : function of the problem and the number of particles
        Returns values that the first observation overwrites, and an empty trace.
    advance : function of the particles, the problem, the position after the block, the resampling and a generator
        Propagates, weights and resamples the particles of a block in place, writes its trace, and returns the
        log-evidence up to there.
    length : function of the problem
        Returns the number of observations.
    n_particles, resampling, block :
        The number of particles, the resampling, and the number of observations per step, which does not affect the
        result.
    """

    begin: Callable[[Problem, int], tuple[Values, Trace]]
    advance: Callable[[Particles[Values, Trace], Problem, int, Resampling, np.random.Generator], float]
    length: Callable[[Problem], int]
    n_particles: int
    resampling: Resampling = WHEN_HALF_COUNT
    block: int = BLOCK

    def init(self, problem: Problem, rng: np.random.Generator) -> Particles[Values, Trace]:
        """Begin before the first observation, with equal weights."""
        values, trace = self.begin(problem, self.n_particles)
        return Particles(values, np.full(self.n_particles, 1.0 / self.n_particles), 0.0, 0, trace)

    def step(
        self, state: Particles[Values, Trace], problem: Problem, rng: np.random.Generator
    ) -> tuple[Particles[Values, Trace], Info]:
        """Process the next block; the objective is the log-evidence of all observations so far."""
        last = min(state.position + self.block, self.length(problem))
        evidence = float(self.advance(state, problem, last, self.resampling, rng))
        return state._replace(log_evidence=evidence, position=last), Info(evidence)

    def summary(self, states: Sequence[Particles[Values, Trace]]) -> Particles[Values, Trace]:
        """Return the particles after the last observation."""
        return states[-1]


def filtered(
    method: ParticleFilter[Problem, Values, Trace], problem: Problem, rng: np.random.Generator
) -> Particles[Values, Trace]:
    """Run the filter to the last observation."""
    n_blocks = -(-method.length(problem) // method.block)
    return run(method, problem, stop=Stop(n_blocks), rng=rng, progress="Filtering").result
