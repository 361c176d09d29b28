r"""A mixture with one or two views of a document: its words, and a vector that describes it.

.. math:: \ln p(d, k) = \ln\pi_k + \sum_w c_{dw}\ln\phi_{kw} - \frac{\lVert z_d - \mu_k\rVert^2}{2\sigma^2}
          - \tfrac{D}{2}\ln 2\pi\sigma^2 \quad (1)

Without vectors the last two terms are absent. EM starts from given clusters of documents; :math:`\sigma^2` is learned.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from driftline.core.arrays import Counts, Floats, Ints
from driftline.engines.blas import one_blas_thread
from driftline.inference.em import EM
from driftline.inference.run import run
from driftline.inference.stopping import SmallRise, Stop
from driftline.topics.cluster_start import memberships, squared_distances

STEPS, TOLERANCE = 40, 1e-5
WORD_PRIOR = 0.1
LEAST_VARIANCE = 1e-6
BLOCK = 50_000
"""Number of documents whose topics are in memory at a time."""


class Views(NamedTuple):
    """Documents: their words, documents × words, and their vectors, documents × D (D may be zero)."""

    X: Counts
    vectors: Floats

    @classmethod
    def of(cls, X: Counts, vectors: Floats | None = None) -> Views:
        """Take documents with or without vectors."""
        return cls(X, np.zeros((X.shape[0], 0)) if vectors is None else vectors)


class ViewTopics(NamedTuple):
    """The parameters: φ (topics × words), π, μ (topics × D) and σ²."""

    components: Floats
    weights: Floats
    centres: Floats
    variance: float


class _Problem(NamedTuple):
    """The documents and their first topics."""

    views: Views
    start: ViewTopics
    word_prior: float


def fit_views(views: Views, start: ViewTopics, *, word_prior: float = WORD_PRIOR, max_steps: int = STEPS) -> ViewTopics:
    """Run EM from these topics."""
    with one_blas_thread():
        done = run(VIEW_EM, _Problem(views, start, word_prior), stop=Stop(max_steps, SmallRise(TOLERANCE)))
    return done.result


def topics_of_clusters(views: Views, labels: Ints, n_topics: int, *, word_prior: float = WORD_PRIOR) -> ViewTopics:
    """Return the topics of given clusters: the M step for documents that belong to one cluster each."""
    member = memberships(labels, n_topics)
    sums = _Sums(
        (views.X.T @ member).toarray().T,
        np.bincount(labels, minlength=n_topics).astype(np.float64),
        member.T @ views.vectors,
    )
    return _maximise(sums, views, word_prior)


def log_joint(topics: ViewTopics, views: Views) -> Floats:
    """Return (1) for all documents and topics; without vectors, or for documents without one, words alone."""
    joint = np.asarray(views.X @ np.log(topics.components).T) + np.log(topics.weights)
    dimensions = views.vectors.shape[1]
    if dimensions:
        squares = squared_distances(views.vectors, topics.centres)
        joint -= squares / (2.0 * topics.variance) + 0.5 * dimensions * np.log(2 * np.pi * topics.variance)
    found: Floats = joint
    return found


def posterior(topics: ViewTopics, views: Views) -> Floats:
    """Return the probability of every topic for each document."""
    found = np.empty((views.X.shape[0], len(topics.weights)))
    with one_blas_thread():
        for first in range(0, len(found), BLOCK):
            rows = slice(first, first + BLOCK)
            joint = log_joint(topics, Views(views.X[rows], views.vectors[rows]))
            found[rows] = _beliefs(joint)[0]
    return found


def _beliefs(joint: Floats) -> tuple[Floats, Floats]:
    """Return the probability of every topic per row, which replaces `joint`, and the log-likelihood of the row."""
    highest = joint.max(axis=1, keepdims=True)
    joint -= highest
    np.exp(joint, out=joint)
    sums = joint.sum(axis=1, keepdims=True)
    joint /= sums
    return joint, (highest + np.log(sums))[:, 0]


class _Sums(NamedTuple):
    """Expected counts of words in topics, sizes of topics, and sums of vectors."""

    counts: Floats
    sizes: Floats
    vectors: Floats


def _expect(topics: ViewTopics, problem: _Problem, rng: np.random.Generator) -> tuple[_Sums, float]:
    """Return the expected sums over blocks of documents, and the log posterior."""
    X, vectors = problem.views
    counts, sizes = np.zeros_like(topics.components), np.zeros(len(topics.weights))
    sums, total = np.zeros_like(topics.centres), 0.0
    for first in range(0, X.shape[0], BLOCK):
        block = Views(X[first : first + BLOCK], vectors[first : first + BLOCK])
        joint = log_joint(topics, block)
        belief, evidence = _beliefs(joint)
        counts += (block.X.T @ belief).T
        sizes += belief.sum(axis=0)
        sums += belief.T @ block.vectors
        total += float(evidence.sum())
    prior = problem.word_prior * np.log(topics.components).sum() + np.log(topics.weights).sum()
    return _Sums(counts, sizes, sums), total + float(prior)


def _maximise(sums: _Sums, views: Views, word_prior: float) -> ViewTopics:
    counts, weights = sums.counts + word_prior, sums.sizes + 1.0
    centres = sums.vectors / np.maximum(sums.sizes, 1e-9)[:, None]
    n, dimensions = views.vectors.shape
    variance = 1.0
    if dimensions:
        spread = float((views.vectors**2).sum() - (centres**2 * sums.sizes[:, None]).sum())
        variance = max(spread / (n * dimensions), LEAST_VARIANCE)
    components = np.ascontiguousarray(counts / counts.sum(axis=1, keepdims=True))
    return ViewTopics(components, weights / weights.sum(), centres, variance)


VIEW_EM: EM[_Problem, ViewTopics, _Sums] = EM(
    begin=lambda problem, rng: problem.start,
    expect=_expect,
    maximise=lambda sums, before, problem: _maximise(sums, problem.views, problem.word_prior),
)
"""EM for the mixture, from given topics."""
