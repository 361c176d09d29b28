"""Expectation propagation: many topics, nearly exact if the text is informative, linear in all sizes."""

from __future__ import annotations

import itertools
from functools import partial
from typing import NamedTuple

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats
from driftline.engines.choose import engine_of
from driftline.engines.contract import Engine
from driftline.inference.ep import ExpectationPropagation
from driftline.inference.run import run
from driftline.inference.stopping import LittleMoved, Stop
from driftline.intensity.tracking.implicit_model import IntensityModel, IntensityPosterior, LevelStatistics

NARROWEST = 40  # topics per task: narrower rows do not fill the vector registers, and take several times as long


def infer_ep(
    model: IntensityModel,
    *,
    tail: float = 0.05,
    count: bool = False,
    tolerance: float = 1e-3,
    max_sweeps: int = 50,
    engine: str = "threads",
    n_jobs: int | None = None,
    overwrite: bool = False,
    verbose: bool = False,
) -> IntensityPosterior:
    """Sweep until no topic posterior changes by more than `tolerance`, in O(documents · topics · levels) per sweep.

    Works in the type of ``model.text``; with `overwrite`, the topic posteriors are written over it. The chains of a
    sweep are shared among `n_jobs` threads; the result does not depend on their number. On a graphics processor
    (``engine="gpu"``), all chains are also divided into segments that run in parallel.
    """
    n, n_topics, n_levels = model.shape
    kind = model.text.dtype
    matrix, speeds, band = model.steps()
    with engine_of(engine, n_jobs) as where:
        memory, kernels = current_kernels().memory, current_kernels().intensity_ep
        text = memory.place(np.ascontiguousarray(model.text))
        placed = map(memory.place, (model.gaps, model.rates.astype(kind), matrix.astype(kind), speeds))
        fixed = (*placed, band, memory.place(model.prior.astype(kind)))
        problem = _Stream(text, kernels.decays_of(*fixed[:2]), fixed, tail)
        groups = _equal_parts(n_topics, min(where.n_workers, n_topics // NARROWEST))
        blocks = _equal_parts(n, where.n_workers)
        method = ExpectationPropagation(_begin, _refine, partial(_combine, blocks, where), groups, where)
        stop = Stop(max_sweeps, LittleMoved(tolerance))
        done = run(method, problem, stop=stop, progress="Expectation propagation", verbose=verbose)
        means, mixed, evidence = done.result
        topics = text if overwrite else memory.empty(text.shape, kind)
        levels = [memory.empty((n, n_topics), np.uint8) for _ in range(3)]
        n_counted = n_topics if count else 0
        moves = memory.place(np.zeros((n_counted, n_levels, n_levels)))
        counts = memory.place(np.zeros((n_counted, 3, n_levels)))
        results = (topics, means, *levels)
        tasks = [(text, problem.decays, *fixed, means, mixed, *group, tail, results, moves, counts) for group in groups]
        where.map(kernels.sweep, tasks)
        kernels.as_shares(topics)
        topics, intensity, lower, middle, upper = (memory.fetch(array) for array in results)
        moves, counts = memory.fetch(moves), memory.fetch(counts)
    statistics = LevelStatistics(moves.sum(axis=0), *counts.sum(axis=0)) if count else None
    n_sweeps, converged = int(done.n_steps[0]), bool(done.converged[0])
    return IntensityPosterior(topics, intensity, lower, middle, upper, evidence, n_sweeps, converged, statistics)


def _equal_parts(n: int, n_parts: int) -> tuple[tuple[int, int], ...]:
    """Divide `n` items into parts of nearly equal size; each is given by its begin and its end (exclusive)."""
    edges = np.linspace(0, n, max(1, n_parts) + 1).astype(int).tolist()
    return tuple(itertools.pairwise(edges))


class _Stream(NamedTuple):
    """The problem: the evidence of text and gaps, further arguments of the loops, and the intervals' tail."""

    text: Floats
    decays: Floats
    fixed: tuple[object, ...]
    tail: float


class _Sites(NamedTuple):
    """The mean rate of every topic at every document, its mixture over the topics, and the filter's log-evidence."""

    means: Floats
    mixed: Floats
    log_evidence: float


def _begin(problem: _Stream, rng: np.random.Generator) -> _Sites:
    text, prior = problem.text, problem.fixed[-1]
    memory = current_kernels().memory
    means, mixed = memory.empty(text.shape, text.dtype), memory.empty((len(text),), text.dtype)
    belief = np.repeat(memory.fetch(prior)[:, None], text.shape[1], axis=1)
    evidence = current_kernels().intensity_ep.filter_stream(text, *problem.fixed[:-1], belief, False, means, mixed)
    return _Sites(means, mixed, float(evidence))


def _refine(sites: _Sites, problem: _Stream, begin: int, end: int) -> float:
    nothing, no_level = np.empty((0, 0), problem.text.dtype), np.empty((0, 0), dtype=np.uint8)
    results, no_counts = (nothing, nothing, no_level, no_level, no_level), np.empty((0, 0, 0))
    place = (sites.means, sites.mixed, begin, end)
    return float(
        current_kernels().intensity_ep.sweep(
            problem.text, problem.decays, *problem.fixed, *place, problem.tail, results, no_counts, no_counts
        )
    )


def _combine(blocks: tuple[tuple[int, int], ...], engine: Engine, sites: _Sites, problem: _Stream) -> None:
    arrays = (problem.text, sites.means, sites.mixed)
    engine.map(
        current_kernels().intensity_ep.mix, [tuple(array[begin:end] for array in arrays) for begin, end in blocks]
    )
