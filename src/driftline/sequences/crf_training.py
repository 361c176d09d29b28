r"""Training of conditional random fields: L-BFGS-B on all sentences, or stochastic gradient descent, one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Floats, Ints
from driftline.inference.contract import Info
from driftline.inference.run import run
from driftline.inference.stopping import Stop

FIRST_RATE = 0.1
"""η₀ of stochastic gradient descent."""
AVERAGED_FROM = 5
"""First epoch whose weights are averaged, counted from one."""


class Sentences(NamedTuple):
    """The problem: attributes (tokens × templates), where sentences begin, codes of tags (−1: unknown), and weights."""

    attributes: Ints
    offsets: Ints
    tags: Ints
    counts_of: Floats

    def rows(self, kept: Ints, weights: Floats) -> Sentences:
        """Return some of the sentences, each with its weight in `weights`."""
        lengths = np.diff(self.offsets)[kept]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        tokens = np.arange(offsets[-1]) + np.repeat(self.offsets[kept] - offsets[:-1], lengths)
        return Sentences(self.attributes[tokens], offsets, self.tags[tokens], weights[kept])


class Pairs(NamedTuple):
    """Pairs of an attribute and a tag that have a weight (rows of tags by attribute), and the possible transitions."""

    pointers: Ints
    pair_tags: Ints
    trained: Bools
    allowed: Floats
    starts: Floats


class Weights(NamedTuple):
    """Weights of pairs and of transitions."""

    pairs: Floats
    transition: Floats


class Trained(NamedTuple):
    """The weights, and the objective (loss and penalties) after every iteration or epoch."""

    weights: Weights
    objective: Floats


def seen_pairs(sentences: Sentences, n_attributes: int, allowed: Floats, starts: Floats) -> Pairs:
    """Return the pairs of attributes and tags that occur, and the transitions that do."""
    n_tags = len(starts)
    known = sentences.tags >= 0
    attributes, tags = sentences.attributes[known], sentences.tags[known]
    parts = []
    for column in attributes.T:
        there = column >= 0
        parts.append(np.unique(column[there].astype(np.int64) * n_tags + tags[there]))
    pairs = np.concatenate([np.empty(0, dtype=np.int64), *parts])  # columns have their own attributes, in order
    pointers = np.searchsorted(pairs // n_tags, np.arange(n_attributes + 1)).astype(np.int64)
    trained = np.zeros((n_tags, n_tags), dtype=bool)
    follows = known[1:] & known[:-1]
    follows[sentences.offsets[1:-1][(sentences.offsets[1:-1] > 0) & (sentences.offsets[1:-1] < len(known))] - 1] = False
    trained[sentences.tags[:-1][follows], sentences.tags[1:][follows]] = True
    if not known.all():  # any tag may follow an unknown one
        trained[:] = True
    return Pairs(pointers, (pairs % n_tags).astype(np.int64), trained & (allowed > 0), allowed, starts)


def loss_of(weights: Weights, sentences: Sentences, pairs: Pairs) -> tuple[float, Weights]:
    """Return the negative log-likelihood and its gradient."""
    gradient = Weights(np.empty_like(weights.pairs), np.empty_like(weights.transition))
    loss = current_kernels().crf.loss_and_gradient(
        *sentences, pairs.pointers, pairs.pair_tags, *weights, pairs.allowed, pairs.starts, *gradient
    )
    return float(loss), Weights(gradient.pairs, np.where(pairs.trained, gradient.transition, 0.0))


def train_lbfgs(
    start: Weights,
    sentences: Sentences,
    pairs: Pairs,
    l2: float,
    l1: float,
    max_iter: int,
    tolerance: float,
    *,
    chain_weight: float = 1.0,
) -> Trained:
    """Minimise the loss + l2 · ‖w‖² + l1 · ‖w‖₁; l2 is divided by `chain_weight` for transitions.

    With an L1 penalty, every weight is a difference of two non-negative ones, which makes the objective smooth.
    """
    n_pairs, moves = len(start.pairs), np.nonzero(pairs.trained)
    penalty = np.full(n_pairs + len(moves[0]), l2)
    if len(moves[0]):
        penalty[n_pairs:] /= chain_weight
    objective: list[float] = []

    def weights_of(x: Floats) -> Weights:
        transition = start.transition.copy()
        transition[moves] = x[n_pairs:]
        return Weights(np.ascontiguousarray(x[:n_pairs]), transition)

    def smooth(x: Floats) -> tuple[float, Floats]:
        loss, gradient = loss_of(weights_of(x), sentences, pairs)
        flat = np.concatenate([gradient.pairs, gradient.transition[moves]])
        return loss + float(penalty @ x**2), flat + 2 * penalty * x

    def split(x: Floats) -> tuple[float, Floats]:
        up, down = np.split(x, 2)
        value, gradient = smooth(up - down)
        return value + l1 * float(x.sum()), np.concatenate([gradient + l1, l1 - gradient])

    first = np.concatenate([start.pairs, start.transition[moves]])
    task, bounds = smooth, None
    if l1 > 0:
        task, first = split, np.concatenate([np.maximum(first, 0), np.maximum(-first, 0)])
        bounds = [(0.0, None)] * len(first)
    done = minimize(
        task,
        first,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        callback=lambda intermediate_result: objective.append(float(intermediate_result.fun)),
        options={"maxiter": max_iter, "ftol": tolerance, "gtol": 1e-8, "maxcor": 6, "maxfun": 10 * max_iter},
    )
    x = done.x if l1 <= 0 else np.subtract(*np.split(done.x, 2))
    return Trained(weights_of(x), np.array(objective or [float(done.fun)]))


class Descent(NamedTuple):
    """State of stochastic gradient descent: scale and vector of the weights, and the sums of the epochs averaged."""

    vector: Floats
    transition: Floats
    rates: Floats
    sum_pairs: Floats
    sum_transition: Floats
    n_summed: int = 0
    epoch: int = 0


@dataclass(frozen=True)
class StochasticDescent:
    """Take a step per sentence, in random order, and average the weights at the ends of the later epochs.

    The weights are a scale times a vector, so that shrinking them takes constant time: with n sentences, λ = 2 · l2 / n
    and η = η₀ / (1 + η₀ λ t).
    """

    l2: float
    first_averaged: int = AVERAGED_FROM

    def init(self, problem: tuple[Sentences, Pairs, Weights], rng: np.random.Generator) -> Descent:
        """Start with given weights."""
        sentences, _, start = problem
        n = len(sentences.offsets) - 1
        rates = np.array([1.0, 0.0, FIRST_RATE, 2.0 * self.l2 / max(n, 1)])
        nothing = np.zeros_like(start.pairs), np.zeros_like(start.transition)
        return Descent(start.pairs.copy(), start.transition.copy(), rates, *nothing)

    def step(
        self, state: Descent, problem: tuple[Sentences, Pairs, Weights], rng: np.random.Generator
    ) -> tuple[Descent, Info]:
        """Do one epoch; the objective is the negative loss of every sentence before its step, minus the penalty."""
        sentences, pairs, _ = problem
        loss = current_kernels().crf.learn_sentences(
            *(rng.permutation(len(sentences.offsets) - 1), *sentences, pairs.pointers, pairs.pair_tags),
            *(state.vector, state.transition, *pairs[2:], state.rates),
        )
        scale, epoch = float(state.rates[0]), state.epoch + 1
        penalty = self.l2 * (scale**2 * float(state.vector @ state.vector) + float((state.transition**2).sum()))
        if epoch >= self.first_averaged:
            np.add(state.sum_pairs, scale * state.vector, out=state.sum_pairs)
            np.add(state.sum_transition, state.transition, out=state.sum_transition)
            state = state._replace(n_summed=state.n_summed + 1)
        return state._replace(epoch=epoch), Info(-float(loss) - penalty)

    def summary(self, states: Sequence[Descent]) -> Weights:
        """Return the averaged weights, or the last if no epoch was averaged."""
        last = states[-1]
        if not last.n_summed:
            return Weights(last.rates[0] * last.vector, last.transition)
        return Weights(last.sum_pairs / last.n_summed, last.sum_transition / last.n_summed)


def train_sgd(
    start: Weights, sentences: Sentences, pairs: Pairs, l2: float, epochs: int, rng: np.random.Generator, verbose: bool
) -> Trained:
    """Minimise the loss + l2 · ‖w‖² by stochastic gradient descent."""
    method = StochasticDescent(l2, min(AVERAGED_FROM, epochs))
    done = run(method, (sentences, pairs, start), stop=Stop(epochs), rng=rng, progress="epochs", verbose=verbose)
    return Trained(done.result, -np.array([info.objective for info in done.infos[0]]))
