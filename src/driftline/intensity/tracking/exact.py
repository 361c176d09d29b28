"""Exact inference over the joint levels of all topics: for few topics, and as a reference for other methods."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.inference.forward_backward import MarkovChain, best_path, digits, smooth
from driftline.intensity.tracking.implicit_model import IntensityModel, IntensityPosterior, LevelStatistics


def infer_exact(model: IntensityModel, *, tail: float = 0.05, count: bool = False) -> IntensityPosterior:
    """Return the exact posterior, in time O(documents · topics · levels^topics) and bounded memory.

    Transitions act on one topic at a time and only to neighbouring levels, hence the saving over the general
    O(documents · levels^(2 · topics)).
    """
    n, n_topics, n_levels = model.shape
    topic_proba, intensity = np.empty((n, n_topics)), np.empty((n, n_topics))
    lower, middle, upper = (np.empty((n, n_topics), dtype=np.uint8) for _ in range(3))
    events, exposure = np.zeros(n_levels), np.zeros(n_levels)

    def consume(begin: int, belief: Floats) -> None:
        end = begin + len(belief)
        at = slice(begin, end)
        joint, levels = np.empty((2, len(belief), n_topics, n_levels))
        current_kernels().intensity_exact.topics_and_levels(belief, text[at], model.rates, joint, levels)
        topic_proba[at] = joint.sum(axis=2)
        current_kernels().intensity_exact.summarise_levels(
            levels, model.rates, tail, intensity[at], lower[at], middle[at], upper[at]
        )
        events[:] += joint.sum(axis=(0, 1))
        exposure[:] += np.einsum("t,tkl->l", model.gaps[at], levels)

    text = np.ascontiguousarray(model.text, dtype=np.float64)
    chain = _joint_chain(model)
    found = smooth(chain, _likelihood(model, text), n, consume=consume, count_moves=count)
    statistics = None
    if count:
        first = np.bincount(
            digits(np.arange(len(found.first)), (n_levels,) * n_topics).ravel(),
            weights=np.repeat(found.first, n_topics),
            minlength=n_levels,
        ).astype(np.float64)
        statistics = LevelStatistics(found.moves.sum(axis=0), first, events, exposure)
    return IntensityPosterior(topic_proba, intensity, lower, middle, upper, found.log_evidence, 1, True, statistics)


def best_levels(model: IntensityModel) -> Ints:
    """Return the most probable joint sequence of levels, documents × topics (Viterbi)."""
    n, n_topics, n_levels = model.shape
    text = np.ascontiguousarray(model.text, dtype=np.float64)
    states = best_path(_joint_chain(model), _likelihood(model, text), n).states
    return digits(states, (n_levels,) * n_topics)


def _joint_chain(model: IntensityModel) -> MarkovChain:
    n_topics = model.shape[1]
    initial: np.ndarray = np.ones(1)
    for _ in range(n_topics):
        initial = np.kron(initial, model.prior)
    if model.timed:
        return MarkovChain(initial, lambda begin, end: model.matrices(begin, end)[:, None], n_topics)
    return MarkovChain(initial, model.matrices(0, 1)[0], n_topics)


def _likelihood(model: IntensityModel, text: Floats) -> Callable[[int, int], Floats]:
    return lambda begin, end: current_kernels().intensity_exact.joint_log_likelihood(
        text[begin:end], model.gaps[begin:end], model.rates
    )
