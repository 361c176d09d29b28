"""Expectation propagation: many topics, nearly exact where the text is informative, linear in all sizes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from driftline.compute.cpu.intensity_ep import filter_stream, mix, sweep
from driftline.core.progress import track
from driftline.intensity.tracking.implicit_model import IntensityModel, IntensityPosterior, LevelStatistics


def infer_ep(
    model: IntensityModel,
    *,
    tail: float = 0.05,
    count: bool = False,
    tolerance: float = 1e-3,
    max_sweeps: int = 50,
    n_jobs: int | None = None,
    overwrite: bool = False,
    verbose: bool = False,
) -> IntensityPosterior:
    """Sweep until no topic posterior moves by more than `tolerance`, in O(documents · topics · levels) a sweep.

    Works in the type of ``model.text``; with `overwrite`, the topic posteriors are written over it. The chains of a
    sweep are shared among `n_jobs` threads; the result does not depend on how many there are.
    """
    text = np.ascontiguousarray(model.text)
    n, n_topics, n_levels = model.shape
    kind = text.dtype
    matrix, speeds, band = model.steps()
    fixed = (model.gaps, model.rates.astype(kind), matrix.astype(kind), speeds, band, model.prior.astype(kind))
    means, mixed = np.empty((n, n_topics), kind), np.empty(n, kind)
    belief = np.repeat(model.prior.astype(kind)[:, None], n_topics, axis=1)
    evidence = filter_stream(text, *fixed[:-1], belief, False, means, mixed)
    edges = np.linspace(0, n_topics, min(n_topics, effective_n_jobs(n_jobs)) + 1).astype(int)
    no_level = np.empty((0, 0), dtype=np.uint8)
    no_results = (np.empty((0, 0), kind), np.empty((0, 0), kind), no_level, no_level, no_level)
    nothing = np.empty((0, 0))

    def run(results: Any, moves: Any, counts: Any) -> list[float]:
        tasks = (
            delayed(sweep)(text, *fixed, means, mixed, begin, end, tail, results, moves[i], counts[i])
            for i, (begin, end) in enumerate(itertools.pairwise(edges))
        )
        return Parallel(n_jobs=n_jobs, prefer="threads")(tasks)

    n_sweeps, converged = 0, False
    for _ in track(range(max_sweeps), "Expectation propagation", verbose=verbose):
        change = max(run(no_results, [nothing] * len(edges), [nothing] * len(edges)))
        mix(text, means, mixed)
        n_sweeps += 1
        if change <= tolerance:
            converged = True
            break
    topics = text if overwrite else np.empty_like(text)
    lower, middle, upper = (np.empty((n, n_topics), dtype=np.uint8) for _ in range(3))
    size = (len(edges) - 1, n_levels) if count else (len(edges) - 1, 0)
    moves, counts = np.zeros((*size, n_levels)), np.zeros((size[0], 3 if count else 0, n_levels))
    run((topics, means, lower, middle, upper), moves, counts)
    topics /= topics.sum(axis=1, keepdims=True)
    statistics = LevelStatistics(moves.sum(axis=0), *counts.sum(axis=0)) if count else None
    return IntensityPosterior(topics, means, lower, middle, upper, float(evidence), n_sweeps, converged, statistics)
