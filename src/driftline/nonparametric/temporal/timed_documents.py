r"""Documents with times as items of a mixture in which earlier documents count less the older they are.

Document i joins cluster k with probability :math:`w_k / (\alpha + W_i)`, where
:math:`w_k = \sum_j e^{-(t_i - t_j) / \tau}` are its decayed earlier members and :math:`W_i` those of all clusters, and
starts a new one with probability :math:`\alpha / (\alpha + W_i)` (1) (Zhu, Ghahramani and Lafferty, 2005). Since
:math:`W_i` depends only on times,

.. math:: p(\alpha \mid \text{clusters}) \propto p(\alpha)\, \alpha^K \prod_i (\alpha + W_i)^{-1}.                 (2)
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats
from driftline.inference.concentration import draw_from_slice
from driftline.inference.gibbs import Gibbs
from driftline.nonparametric.cluster_gibbs import begin, draw_beta, draw_clusters
from driftline.nonparametric.cluster_items import Clusters
from driftline.nonparametric.multinomial_items import Documents

S = TypeVar("S", bound=Any)


class Crowded(Protocol):
    """A problem with a prior α (zero if it is learned), and the weight of all earlier items for each item."""

    @property
    def concentration(self) -> float:
        """α, or zero."""
        ...

    @property
    def crowd(self) -> Floats:
        """W, one value per item."""
        ...


class TimedDocuments(NamedTuple):
    """The problem: counted documents in time order, their times in units of τ, and the weights W of (1)."""

    documents: Documents
    times: Floats
    crowd: Floats

    @classmethod
    def of(cls, X: Counts, times: Floats, timescale: float, beta: float, concentration: float) -> TimedDocuments:
        """Convert rows in time order; an infinite timescale makes all times equal."""
        ages = (times - times[:1]) / timescale
        crowd, weight = np.zeros(len(ages)), 0.0
        for i in range(1, len(ages)):
            weight = (weight + 1.0) * float(np.exp(ages[i - 1] - ages[i]))
            crowd[i] = weight
        return cls(Documents.of(X, beta, concentration), ages, crowd)

    @property
    def concentration(self) -> float:
        """α, or zero."""
        return self.documents.concentration

    @property
    def n_items(self) -> int:
        """The number of documents."""
        return self.documents.n_items

    @property
    def lengths(self) -> Floats:
        """The number of words in every document."""
        return self.documents.lengths

    @property
    def first_beta(self) -> float:
        """The initial β of chains."""
        return self.documents.first_beta

    def statistics(self) -> Counts:
        """Return the counts as a matrix."""
        return self.documents.statistics()

    def sweep(self, done: int, sample: Clusters, uniforms: Floats) -> int:
        """Draw the clusters of documents, starting at `done`, in place."""
        fixed = (*self.documents[:3], self.lengths, self.times, sample.concentration, sample.beta)
        return int(current_kernels().decayed_clusters.sweep_in_time(done, *fixed, uniforms, *sample[:4]))

    def log_items(self, sample: Clusters) -> float:
        """Return ln p(words | clusters)."""
        return self.documents.log_items(sample)

    def draw_prior(self, sample: Clusters, rng: np.random.Generator) -> float:
        """Return a draw of β if it is learned, otherwise β."""
        return self.documents.draw_prior(sample, rng)


def draw_alpha(sample: S, problem: Crowded, rng: np.random.Generator) -> S:
    """Draw α, if it is learned, given the number of clusters (2), by slice sampling under a Gamma(1, 1) prior."""
    if problem.concentration:
        return sample
    n_clusters = len(np.unique(sample.labels))

    def log_density(log_alpha: float) -> float:
        alpha = float(np.exp(log_alpha))
        return (n_clusters + 1) * log_alpha - alpha - float(np.log(alpha + problem.crowd).sum())

    drawn = draw_from_slice(float(np.log(sample.concentration)), log_density, rng)
    found: S = sample._replace(concentration=float(np.exp(drawn)))
    return found


def log_joint(sample: Clusters, problem: TimedDocuments) -> float:
    """Return the logarithm of p(clusters, documents | α, β)."""
    alpha = sample.concentration
    seats = current_kernels().decayed_clusters.log_seats_in_time(problem.times, sample.labels, len(sample.sizes), alpha)
    return float(seats) - float(np.log(alpha + problem.crowd).sum()) + problem.log_items(sample)


TIMED_GIBBS: Gibbs[TimedDocuments, Clusters] = Gibbs(begin, (draw_clusters, draw_alpha, draw_beta), log_joint)
"""Draws of the clusters of all documents, then of α, then of β."""
