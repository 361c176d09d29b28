"""Gibbs sampling: labels given levels, then every chain of levels in one draw given the labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.inference.gibbs import Gibbs
from driftline.inference.run import Keep, run
from driftline.inference.stopping import Stop
from driftline.intensity.tracking.implicit_model import IntensityModel, IntensityPosterior, LevelStatistics


def infer_gibbs(
    model: IntensityModel,
    rng: np.random.Generator,
    *,
    tail: float = 0.05,
    count: bool = False,
    n_samples: int = 200,
    n_discarded: int = 50,
    verbose: bool = False,
) -> IntensityPosterior:
    """Average over `n_samples` draws after `n_discarded` of burn-in."""
    n, n_topics, n_levels = model.shape
    text = np.ascontiguousarray(model.text, dtype=np.float64)
    problem = _Stream(text, model.rates, (model.gaps, model.rates, *model.steps(), model.prior))

    def fold(kept: _Tally | None, sample: _Sample) -> _Tally:
        return _counted(_Tally.empty(n, n_topics, n_levels) if kept is None else kept, sample, moves=count)

    stop, keep = Stop(n_discarded + n_samples), Keep(burn_in=n_discarded, fold=fold)
    done = run(METHOD, problem, stop=stop, keep=keep, rng=rng, progress="Gibbs sampling", verbose=verbose)
    proba, tally, moves, events = done.result[0]
    tally /= n_samples
    intensity = np.empty((n, n_topics))
    lower, middle, upper = (np.empty((n, n_topics), dtype=np.uint8) for _ in range(3))
    current_kernels().intensity_exact.summarise_levels(tally, model.rates, tail, intensity, lower, middle, upper)
    statistics = None
    if count:
        exposure = np.einsum("t,tkl->l", model.gaps, tally)
        statistics = LevelStatistics(moves / n_samples, tally[0].sum(axis=0), events / n_samples, exposure)
    n_sweeps = int(done.n_steps[0])
    return IntensityPosterior(proba / n_samples, intensity, lower, middle, upper, None, n_sweeps, True, statistics)


class _Stream(NamedTuple):
    """The problem: the text evidence of each document, the rates, and arguments of the loops over single chains."""

    text: Floats
    rates: Floats
    fixed: tuple[object, ...]


class _Sample(NamedTuple):
    """The levels of every topic, topics × documents; every document's topic, and its probabilities given the levels."""

    paths: Ints
    topics: Ints
    proba: Floats


class _Tally(NamedTuple):
    """Sums over samples: the topics' probabilities, level frequencies, and the transitions and documents of levels."""

    proba: Floats
    levels: Floats
    moves: Floats
    events: Floats

    @classmethod
    def empty(cls, n: int, n_topics: int, n_levels: int) -> _Tally:
        shape = (n, n_topics)
        return cls(np.zeros(shape), np.zeros((*shape, n_levels)), np.zeros((n_levels, n_levels)), np.zeros(n_levels))


def _begin(problem: _Stream, rng: np.random.Generator) -> _Sample:
    n, n_topics = problem.text.shape
    paths = np.full((n_topics, n), len(problem.rates) // 2, dtype=np.int64)
    return _Sample(paths, np.empty(n, dtype=np.int64), np.empty((n, n_topics)))


def _draw_topics(sample: _Sample, problem: _Stream, rng: np.random.Generator) -> _Sample:
    sample.proba[:] = 0.0
    n = len(problem.text)
    current_kernels().intensity_chains.sample_topics(
        problem.text, problem.rates, sample.paths, rng.random(n), sample.topics, sample.proba
    )
    return sample


def _draw_levels(sample: _Sample, problem: _Stream, rng: np.random.Generator) -> _Sample:
    n = len(problem.text)
    filtered = np.empty((n, len(problem.rates)))
    for k, path in enumerate(sample.paths):
        weights = (sample.topics == k).astype(np.float64)
        current_kernels().intensity_chains.sample_levels(weights, *problem.fixed, rng.random(n), filtered, path)
    return sample


def _counted(tally: _Tally, sample: _Sample, *, moves: bool) -> _Tally:
    """Add a sample to the sums, in place."""
    np.add(tally.proba, sample.proba, out=tally.proba)
    everywhere = np.arange(len(sample.topics))
    for k, path in enumerate(sample.paths):
        tally.levels[everywhere, k, path] += 1
        if moves:
            np.add.at(tally.moves, (path[:-1], path[1:]), 1)
            weights = (sample.topics == k).astype(np.float64)
            tally.events[:] += np.bincount(path, weights=weights, minlength=len(tally.events))
    return tally


METHOD = Gibbs(_begin, (_draw_topics, _draw_levels))
"""Gibbs sampler: topics given levels, then levels given topics."""
