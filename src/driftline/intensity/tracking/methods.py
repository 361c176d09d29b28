"""The table of inference methods for topics and intensities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from driftline.core.errors import InvalidInput
from driftline.intensity.tracking.exact import infer_exact
from driftline.intensity.tracking.expectation_propagation import infer_ep
from driftline.intensity.tracking.implicit_model import IntensityModel, IntensityPosterior
from driftline.intensity.tracking.level_gibbs import infer_gibbs
from driftline.intensity.tracking.mean_field import infer_mean_field
from driftline.intensity.tracking.particle_smoother import infer_particle
from driftline.intensity.tracking.structured_variational import infer_structured


@dataclass(frozen=True)
class Options:
    """Options of the methods; each uses those that it lists in the table.

    `tail` is the probability on either side of the intervals; `count` requests the statistics of EM, and `overwrite`
    lets the result reuse the memory of the model's text.
    """

    tail: float
    count: bool
    overwrite: bool
    tolerance: float
    max_sweeps: int
    n_samples: int
    n_particles: int
    n_jobs: int | None
    verbose: bool
    engine: str = "threads"

    @property
    def n_discarded(self) -> int:
        """The length of the burn-in."""
        return self.n_samples // 4


class Entry(NamedTuple):
    """A method: its function, its options, and whether it uses random numbers."""

    infer: Callable[..., IntensityPosterior]
    options: tuple[str, ...]
    random: bool = False


SWEEPS = ("tolerance", "max_sweeps", "verbose")
"""Options of the methods that sweep until convergence."""

METHODS = {
    "exact": Entry(infer_exact, ("count",)),
    "ep": Entry(infer_ep, ("count", "overwrite", "engine", "n_jobs", *SWEEPS)),
    "structured": Entry(infer_structured, ("count", *SWEEPS)),
    "gibbs": Entry(infer_gibbs, ("count", "n_samples", "n_discarded", "verbose"), random=True),
    "particle": Entry(infer_particle, ("n_particles",), random=True),
    "mean-field": Entry(infer_mean_field, SWEEPS),
}
"""All methods by name."""


def infer(method: str, model: IntensityModel, options: Options, rng: np.random.Generator) -> IntensityPosterior:
    """Run the method of this name."""
    entry = METHODS[method]
    if options.count and "count" not in entry.options:
        able = ", ".join(name for name, other in METHODS.items() if "count" in other.options)
        raise InvalidInput(f"{method} inference cannot learn parameters; choose one of {able}")
    taken: dict[str, object] = {name: getattr(options, name) for name in entry.options}
    return entry.infer(model, *((rng,) if entry.random else ()), tail=options.tail, **taken)
