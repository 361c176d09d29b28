"""Chains of the latent feature model: redundant features are removed during the burn-in.

Sweeps change one entry at a time. They add features easily, but hardly ever remove one that represents two others
together, because all its rows would have to change at once. Every few sweeps of the burn-in, features are therefore
removed on trial, one or two at a time; a few sweeps draw two features at a time, and the result is kept if its joint
probability is higher. Samples are taken afterwards, from the exact sampler.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.inference.gibbs import Gibbs
from driftline.inference.run import Keep, run
from driftline.inference.stopping import Stop
from driftline.nonparametric.features.feature_gibbs import (
    Best,
    Features,
    Rows,
    begin,
    draw_features,
    draw_mass,
    draw_variances,
    keep_best,
    log_joint,
)

EVERY = 10
"""Number of sweeps between trials of all features."""
TRIAL_SWEEPS = 3
"""Number of sweeps after a removal, before the joint probabilities are compared."""


class Chain(NamedTuple):
    """The state of a chain: its sample, and the number of sweeps so far."""

    sample: Features
    n_sweeps: int


class FoundFeatures(NamedTuple):
    """The best sample of a chain, its log joint probability, and by sweep the number of features and the objective."""

    sample: Features
    objective: float
    n_features: Ints
    trace: Floats


def shed(sample: Features, problem: Rows, rng: np.random.Generator, together: int) -> Features:
    """Remove features on trial, several together; keep removals that increase the joint probability."""
    best = log_joint(sample, problem)
    for _ in range(sample.Z.shape[1]):
        n = sample.Z.shape[1]
        removed = rng.choice(n, min(together, n), replace=False)
        trial = sample._replace(Z=np.ascontiguousarray(np.delete(sample.Z, removed, axis=1)))
        for _ in range(TRIAL_SWEEPS):
            trial = draw_features(trial, problem, rng, pairs=True)
        value = log_joint(trial, problem)
        if value > best:
            best, sample = value, trial
    return sample


def run_chain(
    problem: Rows, rng: np.random.Generator, burn_in: int, n_samples: int, shedding: bool, verbose: bool
) -> FoundFeatures:
    """Sample, and return the record of the samples after the burn-in."""

    def draw(state: Chain, problem: Rows, rng: np.random.Generator) -> Chain:
        sample = draw_mass(draw_variances(draw_features(state.sample, problem, rng), problem, rng), problem, rng)
        n = state.n_sweeps + 1
        if shedding and n <= burn_in and n % EVERY == 0:
            sample = shed(sample, problem, rng, 1 + n // EVERY % 2)
        return Chain(sample, n)

    def first(problem: Rows, rng: np.random.Generator) -> Chain:
        return Chain(begin(problem, rng), 0)

    def fold(kept: Best | None, state: Chain) -> Best:
        return keep_best(problem, kept, state.sample)

    method: Gibbs[Rows, Chain] = Gibbs(first, (draw,), lambda state, problem: log_joint(state.sample, problem))
    stop, keep = Stop(burn_in + n_samples), Keep(burn_in, fold=fold)
    done = run(method, problem, stop=stop, keep=keep, rng=rng, progress="sampling features", verbose=verbose)
    kept: Best = done.result[0]
    return FoundFeatures(kept.sample, kept.objective, kept.n_features, done.objective[0])
