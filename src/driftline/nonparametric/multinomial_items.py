r"""Counted documents as items of a mixture: the words of cluster k have shares :math:`\phi_k \sim \mathrm{Dir}(\beta)`.

With the counts :math:`c_k` of a cluster, :math:`p(c_k) = B(c_k + \beta) / B(\beta)` (1), where B is the normaliser of
the Dirichlet distribution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize_scalar
from scipy.special import gammaln
from sklearn.preprocessing import normalize

from driftline.compute import current_kernels
from driftline.core.arrays import Bools, Counts, Floats, Ints
from driftline.inference.concentration import draw_dirichlet_concentration
from driftline.inference.variational import divergence, expected_log
from driftline.nonparametric.cluster_items import Clusters, Proposal

FIRST_BETA = 0.1
"""Initial β if it is learned."""
LEAST_BETA, MOST_BETA = 1e-4, 10.0
UNUSED = 1e-8
"""Expected count below which a word is not evidence of β."""


class Documents(NamedTuple):
    """The problem: counted documents, β and α (zero if learned, under Gamma(1, 1) priors), and the discount."""

    indptr: Ints
    words: Ints
    said: Floats
    n_words: int
    beta: float
    concentration: float
    discount: float = 0.0

    @classmethod
    def of(cls, X: Counts, beta: float, concentration: float, discount: float = 0.0) -> Documents:
        """Convert a CSR matrix."""
        rows = (X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data.astype(np.float64))
        return cls(*rows, X.shape[1], beta, concentration, discount)

    @property
    def n_items(self) -> int:
        """The number of documents."""
        return len(self.indptr) - 1

    @property
    def lengths(self) -> Floats:
        """The number of words in every document."""
        running = np.concatenate([[0.0], np.cumsum(self.said)])
        return np.asarray(running[self.indptr[1:]] - running[self.indptr[:-1]])

    @property
    def first_beta(self) -> float:
        """The initial β of chains."""
        return self.beta or FIRST_BETA

    def statistics(self) -> Counts:
        """Return the counts as a matrix."""
        return sp.csr_matrix((self.said, self.words, self.indptr), shape=(self.n_items, self.n_words))

    def sweep(self, done: int, sample: Clusters, uniforms: Floats) -> int:
        """Draw the clusters of documents, starting at `done`, in place."""
        fixed = (self.indptr, self.words, self.said, self.lengths, sample.concentration, self.discount, sample.beta)
        return int(current_kernels().dirichlet_clusters.sweep_documents(done, *fixed, uniforms, *sample[:4]))

    def log_items(self, sample: Clusters) -> float:
        """Return the sum of ln p(c) over clusters (1)."""
        return float(self.log_clusters(sample).sum())

    def log_clusters(self, sample: Clusters) -> Floats:
        """Return ln p(c) of every cluster (1)."""
        beta, spread = sample.beta, self.n_words * sample.beta
        rows, columns = np.nonzero(sample.counts)
        words = gammaln(sample.counts[rows, columns] + beta) - gammaln(beta)
        totals = gammaln(spread) - gammaln(sample.totals + spread)
        return np.asarray(np.bincount(rows, weights=words, minlength=len(totals)) + totals)

    def seat(self, items: Ints, uniforms: Floats, given: bool, second: Bools, parts: Clusters) -> float:
        """Seat documents one after another in two rows, in place; return ln p of the seats."""
        fixed = (self.indptr, self.words, self.said, self.lengths, self.discount, parts.beta)
        kernel = current_kernels().dirichlet_clusters.seat_documents
        return float(kernel(items, *fixed, uniforms, given, second, *parts[1:4]))

    def places(self, clusters: Clusters) -> Floats:
        """Return the counts of clusters as unit vectors."""
        return np.asarray(normalize(clusters.counts))

    def draw_prior(self, sample: Clusters, rng: np.random.Generator) -> float:
        """Return a draw of β if it is learned, otherwise β."""
        if self.beta:
            return self.beta
        return draw_dirichlet_concentration(sample.beta, sample.counts[sample.sizes > 0], rng)

    def scores(self, clusters: Clusters) -> Floats:
        """Return ln p(document | documents of a cluster), documents × clusters."""
        found = np.empty((self.n_items, len(clusters.sizes)))
        current_kernels().dirichlet_clusters.score_documents(
            *self[:3], self.lengths, clusters.counts, clusters.totals, clusters.beta, found
        )
        return found

    def draw_parameters(self, clusters: Clusters, rng: np.random.Generator) -> Floats:
        """Draw ln φ of clusters given their documents."""
        logs = _log_gammas(clusters.counts + clusters.beta, rng)
        return np.asarray(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))

    def propose(self, item: int, n: int, beta: float, rng: np.random.Generator) -> Proposal:
        """Draw ln φ of the words of a document, and the logarithm of the rest of φ, from the prior."""
        part = slice(self.indptr[item], self.indptr[item + 1])
        n_own = part.stop - part.start
        logs = np.full((n, n_own + 1), -np.inf)
        logs[:, :-1] = _log_gammas(np.full((n, n_own), beta), rng)
        if n_own < self.n_words:
            logs[:, -1] = _log_gammas(np.full(n, (self.n_words - n_own) * beta), rng)
        logs -= np.logaddexp.reduce(logs, axis=1, keepdims=True)
        return Proposal(logs, logs[:, :-1] @ self.said[part])

    def completed(self, item: int, proposal: Proposal, chosen: int, beta: float, rng: np.random.Generator) -> Floats:
        """Divide the rest of φ among the words that the document does not contain."""
        own = self.words[self.indptr[item] : self.indptr[item + 1]]
        logs = _log_gammas(np.full(self.n_words, beta), rng)
        logs[own] = -np.inf
        if len(own) < self.n_words:
            logs += proposal.parts[chosen, -1] - np.logaddexp.reduce(logs)
        logs[own] = proposal.parts[chosen, :-1]
        return logs

    def scores_given(self, parameters: Floats) -> Floats:
        """Return ln p(document | φ), documents × parameters."""
        return np.asarray(self.statistics() @ parameters.T)

    def expected_scores(self, rows: Counts, counts: Floats, sizes: Floats, beta: float) -> Floats:
        """Return E[ln p(document | φ)]."""
        return np.asarray(rows @ expected_log(beta + counts).T)

    def divergence(self, counts: Floats, sizes: Floats, beta: float) -> float:
        """Return the divergence of Dir(β + c) from Dir(β)."""
        return divergence(beta + counts, beta)

    def best_prior(self, counts: Floats, beta: float) -> float:
        """Return the β that maximises the product of (1) if it is learned, otherwise β."""
        if self.beta:
            return beta
        used, totals = counts[counts > UNUSED], counts.sum(axis=1)

        def loss(log_beta: float) -> float:
            b = float(np.exp(log_beta))
            words = gammaln(used + b).sum() - len(used) * gammaln(b)
            rows = gammaln(self.n_words * b) - gammaln(totals + self.n_words * b)
            return -float(words + rows.sum())

        limits = (float(np.log(LEAST_BETA)), float(np.log(MOST_BETA)))
        found = minimize_scalar(loss, bounds=limits, method="bounded", options={"xatol": 1e-3, "maxiter": 20})
        return float(np.exp(found.x)) if found.fun < loss(float(np.log(beta))) else beta

    def points(self) -> Counts:
        """Return documents as unit vectors."""
        return normalize(self.statistics())


def _log_gammas(shapes: Floats, rng: np.random.Generator) -> Floats:
    """Draw logarithms of gamma variables; those of small shapes would underflow: ln G(a) = ln G(a + 1) + ln U / a."""
    return np.asarray(np.log(rng.gamma(shapes + 1.0)) + np.log(rng.random(shapes.shape)) / shapes)
