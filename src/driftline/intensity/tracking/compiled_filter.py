"""Particle filters on streams of documents whose loop over observations is a compiled function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeVar

import numpy as np

from driftline.compute.contracts.kernel import Kernel
from driftline.core.arrays import Floats
from driftline.inference.particles import ParticleFilter, Particles, Resampling


class DocumentStream(Protocol):
    """A problem: a named tuple of the arguments of the compiled function, among them the evidence of the texts."""

    @property
    def text(self) -> Floats:
        """Evidence on each document, documents × topics."""

    def __iter__(self) -> Iterator[Floats]:
        """Yield the arguments."""


Problem = TypeVar("Problem", bound=DocumentStream)
Values = TypeVar("Values", bound=tuple[np.ndarray, ...])
Trace = TypeVar("Trace", bound=tuple[np.ndarray, ...])


def compiled_filter(
    kernel: Callable[[], Kernel],
    begin: Callable[[Problem, int], tuple[Values, Trace]],
    n_particles: int,
    resampling: Resampling,
) -> ParticleFilter[Problem, Values, Trace]:
    """Return the filter whose blocks are processed by a compiled function; `kernel` returns that of the current device.

    It takes the fields of the problem, the block, the values, the weights and the fields of the trace.
    """

    def advance(
        particles: Particles[Values, Trace],
        problem: Problem,
        last: int,
        resampling: Resampling,
        rng: np.random.Generator,
    ) -> float:
        block = (particles.position, last, resampling.arguments(), rng, particles.log_evidence)
        return float(kernel()(*problem, *block, *particles.values, particles.weights, *particles.trace))

    return ParticleFilter(begin, advance, lambda problem: len(problem.text), n_particles, resampling)
