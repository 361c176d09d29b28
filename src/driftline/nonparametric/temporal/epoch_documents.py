r"""Documents in epochs as items of a mixture: clusters gain and lose members from epoch to epoch, and words may drift.

In epoch e, a document joins cluster k in proportion to :math:`n_{ke} + c_{ke}`, its members in that epoch and

.. math:: c_{ke} = \sum_{\delta = 1}^{\Delta} e^{-\delta / \lambda} n_{k, e - \delta},                             (1)

its decayed members of the last Δ epochs, and starts a new one in proportion to α; a cluster with neither has ended (the
recurrent Chinese restaurant process of Ahmed and Xing, 2008). The words of a cluster have fixed shares
:math:`\phi_k \sim \mathrm{Dir}(\beta)`, or drift: :math:`\phi_{ke} \sim \mathrm{Dir}(\beta + m_{ke})` with the counts
:math:`m_{ke} = \sum_{\delta \ge 1} e^{-\delta / \kappa} x_{k, e - \delta}` of earlier epochs (2). Parameters are
integrated out. Instead of (2), words in the published model drift by a normal random walk of logits, which has no
closed form.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats, Ints
from driftline.inference.concentration import draw_from_slice
from driftline.inference.crp import draw_partition
from driftline.inference.gibbs import Gibbs
from driftline.nonparametric.cluster_gibbs import FIRST_CONCENTRATION
from driftline.nonparametric.cluster_items import ROOM
from driftline.nonparametric.multinomial_items import Documents
from driftline.nonparametric.temporal.timed_documents import draw_alpha


class Fading(NamedTuple):
    """Weights of earlier epochs: λ and Δ of members (1), and κ of words (2), which is infinite without drift."""

    timescale: float
    window: float
    word_timescale: float

    @property
    def drifts(self) -> bool:
        """Whether the words of clusters drift."""
        return bool(np.isfinite(self.word_timescale))

    def members(self, ages: Floats) -> Floats:
        """Return the weight of a member by its age in epochs (1); zero for ages that are not positive."""
        counted = (ages > 0) & (ages <= self.window)
        return np.asarray(np.where(counted, np.exp(-np.maximum(ages, 0.0) / self.timescale), 0.0))

    def words(self, ages: Floats) -> Floats:
        """Return the weight of a word by its age in epochs (2)."""
        return np.asarray(np.where(ages > 0, np.exp(-np.maximum(ages, 0.0) / self.word_timescale), 0.0))


class EpochClusters(NamedTuple):
    """A sample: the row of every document; members (rows × epochs) and counts (rows × epochs of words × words)."""

    labels: Ints
    sizes: Ints
    counts: Floats
    totals: Floats
    concentration: float
    beta: float


class EpochDocuments(NamedTuple):
    """The problem: documents in time order, their epochs, weights of earlier epochs in later ones, and weights W."""

    documents: Documents
    epochs: Ints
    decay: Floats
    word_decay: Floats
    crowd: Floats
    breaks: bool

    @classmethod
    def of(cls, X: Counts, numbers: Floats, fading: Fading, beta: float, concentration: float) -> EpochDocuments:
        """Convert rows with the non-decreasing numbers of their epochs; only epochs with documents are kept."""
        names, epochs = np.unique(numbers, return_inverse=True)
        ages = names[:, None] - names[None, :]
        decay = fading.members(ages)
        n_documents = np.bincount(epochs, minlength=len(names)).astype(np.float64)
        starts = np.searchsorted(epochs, np.arange(len(names)))
        crowd = (decay @ n_documents)[epochs] + np.arange(len(epochs)) - starts[epochs]
        word_decay = fading.words(ages) if fading.drifts else np.zeros((1, 1))
        breaks = bool(len(names) and not (decay[np.tri(len(names), k=-1, dtype=bool)] > 0).all())
        return cls(Documents.of(X, beta, concentration), epochs.ravel(), decay, word_decay, crowd, breaks)

    @property
    def concentration(self) -> float:
        """α, or zero."""
        return self.documents.concentration

    def carried(self, sizes: Ints) -> Floats:
        """Return the decayed members of rows, rows × epochs (1)."""
        return np.ascontiguousarray(sizes @ self.decay.T)

    def faded(self, values: Floats) -> Floats:
        """Return the decayed counts, or totals, of words, of the same shape (2)."""
        if values.ndim == 2:
            return np.ascontiguousarray(values @ self.word_decay.T)
        return np.ascontiguousarray(np.einsum("ef,kfw->kew", self.word_decay, values))


def begin(problem: EpochDocuments, rng: np.random.Generator) -> EpochClusters:
    """Draw the initial clusters from the Chinese restaurant process; a cluster that would end in between is split."""
    labels = draw_partition(len(problem.epochs), FIRST_CONCENTRATION, rng)
    if problem.breaks:
        labels = _divided(labels, problem)
    return recounted(labels, problem.concentration or 1.0, problem, problem.documents.first_beta)


def _divided(labels: Ints, problem: EpochDocuments) -> Ints:
    """Give the documents of a cluster a new label after every gap in which it ends."""
    found, last, n_labels = labels.copy(), dict[int, tuple[int, int]](), int(labels.max(initial=-1)) + 1
    for d, (label, epoch) in enumerate(zip(labels.tolist(), problem.epochs.tolist())):
        before, name = last.get(label, (epoch, label))
        if before != epoch and problem.decay[epoch, before] == 0:
            name, n_labels = n_labels, n_labels + 1
        last[label] = (epoch, name)
        found[d] = name
    return found


def recounted(labels: Ints, concentration: float, problem: EpochDocuments, beta: float) -> EpochClusters:
    """Return the sample in which documents belong to these clusters."""
    rows = int(labels.max(initial=-1)) + 1 + ROOM
    n_epochs, n_word_epochs = len(problem.decay), len(problem.word_decay)
    sizes = np.zeros((rows, n_epochs), dtype=np.int64)
    np.add.at(sizes, (labels, problem.epochs), 1)
    places = problem.epochs if n_word_epochs > 1 else np.zeros_like(problem.epochs)
    documents = problem.documents
    owners = np.repeat(np.arange(len(labels)), np.diff(documents.indptr))
    counts = np.zeros((rows, n_word_epochs, documents.n_words))
    np.add.at(counts, (labels[owners], places[owners], documents.words), documents.said)
    return EpochClusters(labels.copy(), sizes, counts, counts.sum(axis=2), concentration, beta)


def draw_clusters(sample: EpochClusters, problem: EpochDocuments, rng: np.random.Generator) -> EpochClusters:
    """Draw the cluster of each document in turn, given all others."""
    documents, uniforms, done = problem.documents, rng.random(len(sample.labels)), 0
    while True:
        carried = (problem.carried(sample.sizes), problem.faded(sample.counts), problem.faded(sample.totals))
        fixed = (*documents[:3], documents.lengths, problem.epochs, problem.decay, problem.word_decay)
        state = (sample.labels, sample.sizes, sample.counts, sample.totals, *carried)
        priors = (sample.concentration, sample.beta)
        done = current_kernels().epoch_clusters.sweep_epochs(done, *fixed, *priors, uniforms, *state)
        if done == len(sample.labels):
            return sample
        more = [(0, ROOM), (0, 0)]
        counts = np.pad(sample.counts, [*more, (0, 0)])
        sample = sample._replace(sizes=np.pad(sample.sizes, more), counts=counts, totals=np.pad(sample.totals, more))


def draw_beta(sample: EpochClusters, problem: EpochDocuments, rng: np.random.Generator) -> EpochClusters:
    """Draw β, if it is learned, given the counts, by slice sampling under a Gamma(1, 1) prior."""
    if problem.documents.beta:
        return sample
    words = _said(sample, problem)

    def log_density(log_beta: float) -> float:
        beta = float(np.exp(log_beta))
        return log_beta - beta + words.log_probability(beta)

    return sample._replace(beta=float(np.exp(draw_from_slice(float(np.log(sample.beta)), log_density, rng))))


class Said(NamedTuple):
    """Counts above zero with the decayed earlier ones of the same words, their totals, and the number of words."""

    counts: Floats
    before: Floats
    totals: Floats
    totals_before: Floats
    n_words: int

    def log_probability(self, beta: float) -> float:
        """Return the log-probability of all words given their clusters (2)."""
        spread = self.n_words * beta
        words = gammaln(self.counts + self.before + beta) - gammaln(self.before + beta)
        rows = gammaln(self.totals_before + spread) - gammaln(self.totals + self.totals_before + spread)
        return float(words.sum() + rows.sum())


def _said(sample: EpochClusters, problem: EpochDocuments) -> Said:
    some, rows = sample.counts > 0, sample.totals > 0
    before, totals_before = problem.faded(sample.counts)[some], problem.faded(sample.totals)[rows]
    return Said(sample.counts[some], before, sample.totals[rows], totals_before, problem.documents.n_words)


def log_joint(sample: EpochClusters, problem: EpochDocuments) -> float:
    """Return ln p(clusters, documents | α, β); minus infinity if a cluster would have ended in between."""
    sizes, carried = sample.sizes, problem.carried(sample.sizes)
    first = np.cumsum(sizes, axis=1) == sizes
    used, alpha = sizes > 0, sample.concentration
    if (used & (carried == 0) & ~first).any():
        return -np.inf
    goes_on, begins = used & (carried > 0), used & (carried == 0)
    seats = gammaln(carried[goes_on] + sizes[goes_on]) - gammaln(carried[goes_on])
    new = np.log(alpha) + gammaln(sizes[begins])
    crowd = np.log(alpha + problem.crowd).sum()
    return float(seats.sum() + new.sum() - crowd) + _said(sample, problem).log_probability(sample.beta)


EPOCH_GIBBS: Gibbs[EpochDocuments, EpochClusters] = Gibbs(begin, (draw_clusters, draw_alpha, draw_beta), log_joint)
"""Draws of the clusters of all documents, then of α, then of β."""
