r"""The sampler of hierarchical topics (Blei, Griffiths and Jordan, 2010): paths, levels, and the concentration γ.

A document has a path through a tree, drawn from the nested Chinese restaurant process with concentration γ, and shares
of its levels :math:`\theta_d \sim \mathrm{Dir}(\alpha)`; a node at level l has the words
:math:`\phi_u \sim \mathrm{Dir}(\eta_l)`. θ and φ are integrated out (kernels `nested_topics`). The inner nodes are
restaurants that share γ, so it is drawn given their numbers of documents and children.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats, Ints
from driftline.core.randomness import seed_of
from driftline.inference.concentration import draw_shared_concentration
from driftline.inference.gibbs import Gibbs

ROOM = 32
"""Number of free rows added at a time, in addition to those for a path."""


class Tokens(NamedTuple):
    """The problem: the tokens of documents, sorted by word within each, and the priors; γ is zero if it is learned."""

    starts: Ints
    words: np.ndarray
    n_words: int
    depth: int
    concentration: float
    level_prior: float
    word_priors: Floats

    @classmethod
    def of(cls, X: Counts, depth: int, concentration: float, level_prior: float, word_priors: Floats) -> Tokens:
        """Convert a CSR matrix of integers, whose columns are sorted."""
        times = X.data.astype(np.int64)
        running = np.concatenate([[0], np.cumsum(times)])
        words = np.repeat(X.indices, times).astype(np.int64)
        return cls(running[X.indptr], words, X.shape[1], depth, concentration, level_prior, word_priors)


class Paths(NamedTuple):
    """A sample: the level of every token, the path of every document, the nodes, and γ."""

    levels: np.ndarray
    paths: Ints
    parents: Ints
    depths: Ints
    members: Ints
    counts: Floats
    totals: Floats
    concentration: float


def begin(problem: Tokens, rng: np.random.Generator) -> Paths:
    """Put all documents on one path, with all tokens at the root; words that are not common leave it later."""
    paths = np.tile(np.arange(problem.depth), (len(problem.starts) - 1, 1))
    return recounted(np.zeros(len(problem.words), dtype=np.int64), paths, problem.concentration or 1.0, problem)


def draw_paths(sample: Paths, problem: Tokens, rng: np.random.Generator) -> Paths:
    """Draw the path of each document, and the levels of its tokens, in turn."""
    done, seed = 0, seed_of(rng)
    while True:
        fixed = (problem.starts, problem.words, sample.concentration, problem.level_prior, problem.word_priors)
        done = current_kernels().nested_topics.sweep_paths(done, *fixed, seed, *sample[:7])
        if done == len(sample.paths):
            return sample
        sample = widened(sample, problem.depth + ROOM)


def widened(sample: Paths, more: int) -> Paths:
    """Add free rows."""
    return sample._replace(
        parents=np.pad(sample.parents, (0, more), constant_values=-1),
        depths=np.pad(sample.depths, (0, more), constant_values=-1),
        members=np.pad(sample.members, (0, more)),
        counts=np.pad(sample.counts, ((0, more), (0, 0))),
        totals=np.pad(sample.totals, (0, more)),
    )


def draw_gamma(sample: Paths, problem: Tokens, rng: np.random.Generator) -> Paths:
    """Draw γ, if it is learned, given the documents and children of inner nodes, under a Gamma(1, 1) prior."""
    if problem.concentration:
        return sample
    used = sample.members > 0
    inner = used & (sample.depths < problem.depth - 1)
    n_children = int(used.sum()) - 1
    value = draw_shared_concentration(sample.concentration, sample.members[inner], n_children, rng)
    return sample._replace(concentration=value)


def recounted(levels: np.ndarray, paths: Ints, concentration: float, problem: Tokens) -> Paths:
    """Return the sample in which documents have these paths, whose nodes are row numbers; the root is 0."""
    rows = int(paths.max(initial=0)) + 1 + problem.depth + ROOM
    parents, depths = np.full(rows, -1), np.full(rows, -1)
    depths[0] = 0
    for level in range(1, problem.depth):
        parents[paths[:, level]], depths[paths[:, level]] = paths[:, level - 1], level
    members = np.bincount(paths.ravel(), minlength=rows)
    counts = np.zeros((rows, problem.n_words))
    owners = np.repeat(np.arange(len(paths)), np.diff(problem.starts))
    np.add.at(counts, (paths[owners, levels], problem.words), 1.0)
    held = (parents, depths, members, counts, counts.sum(axis=1))
    return Paths(levels.astype(np.int64), paths.copy(), *held, concentration)


def log_joint(sample: Paths, problem: Tokens) -> float:
    """Return the logarithm of p(paths, levels, words | γ)."""
    used, gamma, depth = sample.members > 0, sample.concentration, problem.depth
    inner, inside = used & (sample.depths < depth - 1), used & (sample.depths > 0)
    seats = inside.sum() * np.log(gamma) + gammaln(sample.members[inside]).sum()
    seats += (gammaln(gamma) - gammaln(gamma + sample.members[inner])).sum()
    owners = np.repeat(np.arange(len(sample.paths)), np.diff(problem.starts))
    by_level = np.zeros((len(sample.paths), depth))
    np.add.at(by_level, (owners, sample.levels), 1.0)
    alpha, lengths = problem.level_prior, np.diff(problem.starts)
    levels = (gammaln(by_level + alpha) - gammaln(alpha)).sum()
    levels += (gammaln(depth * alpha) - gammaln(lengths + depth * alpha)).sum()
    rows, columns = np.nonzero(sample.counts)
    eta = problem.word_priors[sample.depths[rows]]
    words = (gammaln(sample.counts[rows, columns] + eta) - gammaln(eta)).sum()
    spread = problem.n_words * problem.word_priors[sample.depths[used]]
    words += (gammaln(spread) - gammaln(sample.totals[used] + spread)).sum()
    return float(seats + levels + words)


NESTED_GIBBS: Gibbs[Tokens, Paths] = Gibbs(begin, (draw_paths, draw_gamma), log_joint)
"""Draws of the paths and levels of all documents, then of γ."""
