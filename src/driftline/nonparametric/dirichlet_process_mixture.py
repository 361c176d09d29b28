r"""A Dirichlet process mixture of multinomials: clusters of documents, whose number is inferred."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesCounts
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import COLUMNS, Array, Layout, Number, Optional
from driftline.core.arrays import Counts, Floats, Ints, Labels, Matrix
from driftline.core.randomness import Seed
from driftline.nonparametric.cluster_gibbs import Clusters, Documents, document_scores
from driftline.nonparametric.cluster_methods import METHODS, Options


class DirichletProcessMixture(TakesCounts, DriftEstimator):
    r"""Group documents into an unknown number of clusters.

    A partition is drawn from the Chinese restaurant process with concentration α; the words of cluster k have shares
    :math:`\phi_k \sim \mathrm{Dir}(\beta)` (1). Gibbs sweeps sample the clusters, the shares summed out, and keep the
    sample of highest joint probability; variational inference maximises a bound of the evidence instead.

    Parameters
    ----------
    concentration : float or "learned", α. Larger values give more clusters. Learned, it has a Gamma(1, 1) prior.
    word_prior : float, β. Smaller values give more and purer clusters.
    burn_in, n_samples : int, for "gibbs": sweeps before the first sample, and samples (one per sweep after that).
    n_chains : int, chains that run in parallel; "variational" keeps the one with the highest bound.
    inference : {"gibbs", "variational"}
    max_clusters, max_steps, tolerance : truncation, steps and relative rise of the bound that ends "variational".
    n_jobs, random_state, verbose : threads (the result is the same for any number); the seed; show progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_documents,), the cluster of every document, numbered by size, the largest first.
    sizes_, components_ : ndarray of shape (n_clusters,) and (n_clusters, n_words)
        The number of documents in each cluster, and the expected shares of its words.
    concentration_, n_clusters_samples_ : float, ndarray of shape (n_chains · n_samples,)
        α of the sample kept (or its mean), and the number of clusters in every sample (or the one found).
    trace_ : ndarray of shape (n_chains, n_sweeps), the log joint probability (or the bound) after every sweep.
    r_hat_, effective_samples_ : float or None
        Rank-normalised split R̂ of the trace after the burn-in (above 1.01: sample longer), and its effective size;
        None if there are too few samples or the trace is constant.

    Examples
    --------
    >>> X = np.repeat([[9, 8, 0, 0, 0], [0, 0, 9, 7, 0], [0, 0, 0, 1, 9]], 10, axis=0)
    >>> model = DirichletProcessMixture(random_state=0).fit(X)
    >>> len(model.sizes_), model.predict([[5, 4, 0, 0, 0]]) == model.labels_[0]
    (3, array([ True]))
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        "labels_": Array("documents", kind="i", below="clusters"),
        "_counts_": Array("clusters", "words", kind="f8", least=0),
        "sizes_": Array("clusters", kind="i", least=1),
        "concentration_": Number(least=0),
        "n_clusters_samples_": Array(None, kind="i", least=1),
        "_weights_": Optional(Array("clusters+1", least=0)),
        "trace_": Array(None, None, finite=False),
        "r_hat_": Optional(Number(least=0)),
        "effective_samples_": Optional(Number(least=0)),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        "concentration": [StrOptions({"learned"}), Interval(numbers.Real, 0, None, closed="neither")],
        "word_prior": [Interval(numbers.Real, 0, None, closed="neither")],
        "inference": [StrOptions(set(METHODS))],
        "burn_in": [Interval(numbers.Integral, 0, None, closed="left")],
        "n_samples": [Interval(numbers.Integral, 1, None, closed="left")],
        "n_chains": [Interval(numbers.Integral, 1, None, closed="left")],
        "max_clusters": [Interval(numbers.Integral, 1, None, closed="left")],
        "max_steps": [Interval(numbers.Integral, 1, None, closed="left")],
        "tolerance": [Interval(numbers.Real, 0, None, closed="left")],
        "n_jobs": [None, numbers.Integral],
        "random_state": "no_validation",
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        concentration: Any = "learned",
        word_prior: float = 0.1,
        burn_in: int = 50,
        n_samples: int = 50,
        n_chains: int = 2,
        inference: str = "gibbs",
        max_clusters: int = 200,
        max_steps: int = 100,
        tolerance: float = 1e-6,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.concentration = concentration
        self.word_prior = word_prior
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.n_chains = n_chains
        self.inference = inference
        self.max_clusters = max_clusters
        self.max_steps = max_steps
        self.tolerance = tolerance
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> DirichletProcessMixture:
        """Sample the clusters of documents × words counts; `y` is ignored."""
        problem = self._problem(self._check_counts(X, reset=True))
        found = METHODS[self.inference](problem, Options(*(getattr(self, name) for name in Options._fields)))
        self.labels_, self._counts_, _, self.sizes_, self.concentration_ = found.clusters
        self._weights_, self.n_clusters_samples_, self.trace_, self.r_hat_, self.effective_samples_ = found[1:]
        return self

    @property
    def components_(self) -> Floats:
        """The expected share of every word in every cluster; rows sum to one."""
        counts = self._counts_ + self.word_prior
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def predict(self, X: Matrix) -> Ints:
        """Return the likeliest cluster of each document; a new cluster is not considered."""
        return np.asarray(np.argmax(self._scores(X)[:, :-1], axis=1))

    def score_samples(self, X: Any) -> Floats:
        """Return ln p(document | documents of the fit), which may belong to any cluster or to a new one."""
        return np.asarray(logsumexp(self._scores(X), axis=1))

    def score(self, X: Matrix, y: Labels | None = None) -> float:
        """Return the mean of `score_samples`."""
        return float(self.score_samples(X).mean())

    def _scores(self, X: Matrix) -> Floats:
        check_is_fitted(self)
        held = (self._counts_, self._counts_.sum(axis=1), self.sizes_, self.concentration_)
        problem, weights = self._problem(self._check_counts(X, reset=False)), getattr(self, "_weights_", None)
        return document_scores(problem, Clusters(self.labels_, *held), weights)

    def _problem(self, X: Counts) -> Documents:
        concentration = 0.0 if self.concentration == "learned" else float(self.concentration)
        return Documents.of(X, float(self.word_prior), concentration)
