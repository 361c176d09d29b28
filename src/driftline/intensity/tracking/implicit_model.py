r"""The implicit model of topics and intensities (IDA-IT), prepared for inference.

Each topic :math:`k` has a level :math:`l_{tk}` that changes to a neighbour with probability θ before document
:math:`t`:

.. math:: P(l_{tk} = l \pm 1 \mid l_{t-1,k} = l) = \theta / 2, \qquad \text{else it stays.}                     (1)

At the lowest and highest level the probability of the missing neighbour is added to that of staying, so that the
stationary distribution is uniform. A level is a rate :math:`\lambda(l)`; the gap before a document and its topic are
the outcome of a race:

.. math:: p(\Delta_t, w_t, c_t = k \mid l_t) = \lambda(l_{tk})\, p(w_t \mid k) \prod_j e^{-\lambda(l_{tj}) \Delta_t} (2)

In the timed version the level changes by :math:`e^{Q\Delta_t}` (3), where Q has the rate θ/2 per mean gap to each
neighbour: a gap of a month then counts as a month of steps, not as one.

Times are measured in mean gaps here, so that no unit can overflow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Floats


class IntensityModel(NamedTuple):
    """Prepared data in time order, and the parameters.

    `text` is p(document | topic), documents × topics, each row scaled to a maximum of one (zero if a known label
    excludes a topic); `gaps` and `rates` are in mean gaps; `prior` is the distribution of the first level.
    """

    text: Floats
    gaps: Floats
    rates: Floats
    theta: float
    prior: Floats
    timed: bool = False

    @property
    def shape(self) -> tuple[int, int, int]:
        """Documents, topics, levels."""
        return (*self.text.shape, len(self.rates))

    def matrices(self, begin: int, end: int) -> Floats:
        """Return the level's transition matrices of some documents: (1 or documents, L, L)."""
        if self.timed:
            return timed_moves(self.theta, self.gaps[begin:end], len(self.rates))
        return level_moves(self.theta, len(self.rates))[None]

    def steps(self) -> tuple[Floats, Floats, int]:
        """Return the transitions of levels, for the loops over single chains: a matrix, None, and its band.

        In the timed version: Q's eigenvectors, eigenvalues, and the full band; the loops compute e^{QΔ} themselves.
        """
        n_levels = len(self.rates)
        if self.timed:
            values, vectors = np.linalg.eigh(self.theta * _neighbours(n_levels))
            return np.ascontiguousarray(vectors), np.minimum(values, 0.0), n_levels - 1
        return level_moves(self.theta, n_levels), np.zeros(0), 1


class LevelStatistics(NamedTuple):
    """Expected counts for EM, summed over topics.

    `moves` are transitions from level to level, `first` levels, `events` (documents of the topic) and `exposure` (time)
    at each level.
    """

    moves: Floats
    first: Floats
    events: Floats
    exposure: Floats


class IntensityPosterior(NamedTuple):
    """Result of an inference method, in time order.

    `topic_proba` and `intensity` are documents × topics; `lower`, `middle` and `upper` are the levels at the quantiles;
    `log_evidence` is the log-likelihood of the stream (or a bound on it, or None if the method has none).
    """

    topic_proba: Floats
    intensity: Floats
    lower: np.ndarray
    middle: np.ndarray
    upper: np.ndarray
    log_evidence: float | None
    n_sweeps: int
    converged: bool
    statistics: LevelStatistics | None = None


def level_moves(theta: float, n_levels: int) -> Floats:
    """Return the transition matrix of Eq. 1.

    >>> level_moves(0.2, 3)
    array([[0.9, 0.1, 0. ],
           [0.1, 0.8, 0.1],
           [0. , 0.1, 0.9]])
    """
    return np.eye(n_levels) + theta * _neighbours(n_levels)


def timed_moves(theta: float, gaps: Floats, n_levels: int) -> Floats:
    """Return e^{QΔ} (Eq. 3) for every gap, by the eigenvectors of the symmetric Q.

    >>> timed_moves(0.2, np.array([0.0, 1e9]), 2).round(3).tolist()
    [[[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [0.5, 0.5]]]
    """
    values, vectors = np.linalg.eigh(theta * _neighbours(n_levels))
    decay = np.exp(np.minimum(values, 0.0) * np.asarray(gaps)[:, None])
    moves = np.einsum("il,tl,jl->tij", vectors, decay, vectors)
    moves = np.maximum(moves, 0.0)
    found: Floats = moves / moves.sum(axis=2, keepdims=True)
    return found


def _neighbours(n_levels: int) -> Floats:
    """Return the generator with rate one half to each neighbour."""
    Q = 0.5 * (np.eye(n_levels, k=1) + np.eye(n_levels, k=-1))
    return Q - np.diag(Q.sum(axis=1))
