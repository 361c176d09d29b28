r"""Gibbs sampling with auxiliary clusters (Neal's algorithm 8): clusters have explicit parameters.

An item is removed and joins cluster k with probability proportional to :math:`(n_k - d)\, p(x \mid \theta_k)`, or one
of m auxiliary clusters, whose parameters are drawn from the prior, with probability proportional to
:math:`(\alpha + K d) / m \cdot p(x \mid \theta)` (1). If the item was alone, its own parameter is one of these. Then
all parameters are drawn given the items (2). Unlike the collapsed sampler, this one needs no conjugate prior, but it
mixes slowly.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats
from driftline.inference.gibbs import Gibbs
from driftline.nonparametric.cluster_gibbs import begin_merged, draw_alpha, draw_beta, log_joint, recounted
from driftline.nonparametric.cluster_items import Clusters, Items, Proposal


class WithParameters(NamedTuple):
    """A sample without free rows, and a parameter per cluster."""

    clusters: Clusters
    parameters: Floats


def begin_with_parameters(problem: Items, rng: np.random.Generator) -> WithParameters:
    """Draw the initial clusters as in collapsed sampling, and their parameters."""
    clusters = begin_merged(problem, rng).used()
    return WithParameters(clusters, problem.draw_parameters(clusters, rng))


def draw_labels(n_auxiliary: int, sample: WithParameters, problem: Items, rng: np.random.Generator) -> WithParameters:
    """Draw the cluster of each item in turn, given the parameters (1)."""
    labels, sizes = sample.clusters.labels.copy(), list(sample.clusters.sizes.astype(float))
    parameters, scores = list(sample.parameters), list(problem.scores_given(sample.parameters).T)
    alpha, beta, d = sample.clusters.concentration, sample.clusters.beta, problem.discount
    for item, uniform in enumerate(rng.random(len(labels))):
        own = int(labels[item])
        sizes[own] -= 1
        alone = sizes[own] == 0
        proposal = problem.propose(item, n_auxiliary, beta, rng)
        own_scores = proposal.scores.copy()
        if alone:
            own_scores[0] = scores[own][item]
        n_seated = np.array(sizes)
        seated = n_seated > 0
        with np.errstate(divide="ignore", invalid="ignore"):
            known = np.log(np.where(seated, n_seated - d, 0.0)) + np.array([column[item] for column in scores])
        fresh = np.log((alpha + d * seated.sum()) / n_auxiliary) + own_scores
        logs = np.concatenate([np.where(seated, known, -np.inf), fresh])
        weights = np.exp(logs - logs.max())
        chosen = min(int(np.searchsorted(weights.cumsum(), uniform * weights.sum(), side="right")), len(logs) - 1)
        if chosen >= len(sizes):
            number = chosen - len(sizes)
            chosen = (
                own
                if alone and number == 0
                else _opened(item, proposal, number, problem, beta, rng, parameters, scores, sizes)
            )
        labels[item] = chosen
        sizes[chosen] += 1
    names, labels = np.unique(labels, return_inverse=True)
    clusters = recounted(labels.ravel(), alpha, problem, beta)
    n = len(names)
    clusters = clusters._replace(counts=clusters.counts[:n], totals=clusters.totals[:n], sizes=clusters.sizes[:n])
    return WithParameters(clusters, np.array([parameters[name] for name in names]))


def _opened(
    item: int,
    proposal: Proposal,
    number: int,
    problem: Items,
    beta: float,
    rng: np.random.Generator,
    parameters: list[Floats],
    scores: list[Floats],
    sizes: list[float],
) -> int:
    """Open a cluster with a proposed parameter; return its position."""
    parameter = problem.completed(item, proposal, number, beta, rng)
    parameters.append(parameter)
    scores.append(problem.scores_given(parameter[None])[:, 0])
    sizes.append(0.0)
    return len(sizes) - 1


def draw_priors(sample: WithParameters, problem: Items, rng: np.random.Generator) -> WithParameters:
    """Draw α, then β given the counts, then the parameters (2); β and the parameters are one block."""
    clusters = draw_beta(draw_alpha(sample.clusters, problem, rng), problem, rng)
    return WithParameters(clusters, problem.draw_parameters(clusters, rng))


def auxiliary_gibbs(n_auxiliary: int) -> Gibbs[Items, WithParameters]:
    """Return the sampler with `n_auxiliary` auxiliary clusters."""
    draws = (partial(draw_labels, n_auxiliary), draw_priors)
    return Gibbs(begin_with_parameters, draws, lambda sample, problem: log_joint(sample.clusters, problem))
