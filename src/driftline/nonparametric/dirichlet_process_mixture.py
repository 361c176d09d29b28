r"""A Dirichlet process mixture: clusters of documents or of rows of numbers, whose number is inferred."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import COLUMNS, Array, Layout, Number, Optional
from driftline.core.arrays import Floats, Ints, Labels, Matrix
from driftline.core.errors import InvalidInput, ModelFileError
from driftline.core.randomness import Seed
from driftline.inference.sampled_number import SampledNumber
from driftline.nonparametric.cluster_gibbs import item_scores
from driftline.nonparametric.cluster_items import Clusters, Items
from driftline.nonparametric.cluster_methods import METHODS, SAMPLED, Options
from driftline.nonparametric.gaussian_items import MEAN_STRENGTH, Rows
from driftline.nonparametric.multinomial_items import Documents


class DirichletProcessMixture(DriftEstimator):
    r"""Group documents, or rows of numbers, into an unknown number of clusters.

    A partition is drawn from the Chinese restaurant process with concentration α and discount d; the words of cluster k
    have shares :math:`\phi_k \sim \mathrm{Dir}(\beta)`, or its columns are normal (1). Gibbs sweeps sample the
    clusters and keep the sample of highest joint probability; variational inference maximises a bound of the evidence;
    DP-means minimises squared distances plus a penalty per cluster.

    Parameters
    ----------
    concentration : float or "learned", α. Larger values give more clusters. Learned, it has a Gamma(1, 1) prior.
    word_prior : float or "learned", β. Smaller values give more and purer clusters. Learned, the prior is Gamma(1, 1).
    burn_in, n_samples : int, for sampling: sweeps before the first sample, and samples (one per sweep after that).
    n_chains : int, chains that run in parallel; "variational" keeps the one with the highest bound.
    inference : {"gibbs", "auxiliary", "variational", "dp-means"}
        Neal's algorithm 3 (parameters summed out), his algorithm 8, Blei and Jordan's method, Kulis and Jordan's.
    max_clusters, max_steps, tolerance : truncation, steps and relative rise of the bound that ends "variational".
    discount : float, d. Above 0 (Pitman-Yor) there are more small clusters. Only for sampling.
    family : {"multinomial", "gaussian"}, counts of words, or numbers of any sign.
    within_share : float, for "gaussian": the share of a column's variance that is expected within clusters.
    n_auxiliary : int, for "auxiliary": auxiliary clusters per draw.
    penalty : float or None, for "dp-means": λ. None is chosen by farthest-first traversal.
    n_jobs, random_state, verbose : threads (the result is the same for any number); the seed; show progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_documents,), the cluster of every document, numbered by size, the largest first.
    sizes_, components_ : ndarray of shape (n_clusters,) and (n_clusters, n_words)
        The number of documents in each cluster, and the expected shares of its words (or the means of its columns).
    n_clusters_, n_clusters_samples_ : SampledNumber, ndarray of shape (n_chains · n_samples,)
        Median and 95 % interval of the number of clusters, and the number in every sample (or the one found).
    concentration_, word_prior_ : float, α and β of the sample kept (or the mean).
    trace_ : ndarray of shape (n_chains, n_sweeps), the log joint probability (bound, minus cost) after every sweep.
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
        "_counts_": Array("clusters", "statistics", kind="f8"),
        "sizes_": Array("clusters", kind="i", least=1),
        "concentration_": Number(least=0),
        "n_clusters_samples_": Array(None, kind="i", least=1),
        "_weights_": Optional(Array("clusters+1", least=0)),
        "trace_": Array(None, None, finite=False),
        "word_prior_": Optional(Number(least=0)),
        "_centre_": Optional(Array("words")),
        "_within_": Optional(Array("words", least=0)),
        "r_hat_": Optional(Number(least=0)),
        "effective_samples_": Optional(Number(least=0)),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        "concentration": [StrOptions({"learned"}), Interval(numbers.Real, 0, None, closed="neither")],
        "word_prior": [StrOptions({"learned"}), Interval(numbers.Real, 0, None, closed="neither")],
        "inference": [StrOptions(set(METHODS))],
        "burn_in": [Interval(numbers.Integral, 0, None, closed="left")],
        "n_samples": [Interval(numbers.Integral, 1, None, closed="left")],
        "n_chains": [Interval(numbers.Integral, 1, None, closed="left")],
        "max_clusters": [Interval(numbers.Integral, 1, None, closed="left")],
        "max_steps": [Interval(numbers.Integral, 1, None, closed="left")],
        "tolerance": [Interval(numbers.Real, 0, None, closed="left")],
        "discount": [Interval(numbers.Real, 0, 1, closed="left")],
        "family": [StrOptions({"multinomial", "gaussian"})],
        "within_share": [Interval(numbers.Real, 0, None, closed="neither")],
        "n_auxiliary": [Interval(numbers.Integral, 1, None, closed="left")],
        "penalty": [None, Interval(numbers.Real, 0, None, closed="neither")],
        "n_jobs": [None, numbers.Integral],
        "random_state": "no_validation",
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        concentration: Any = "learned",
        word_prior: float | str = 0.1,
        burn_in: int = 50,
        n_samples: int = 50,
        n_chains: int = 2,
        inference: str = "gibbs",
        max_clusters: int = 200,
        max_steps: int = 100,
        tolerance: float = 1e-6,
        discount: float = 0.0,
        family: str = "multinomial",
        within_share: float = 0.1,
        n_auxiliary: int = 3,
        penalty: float | None = None,
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
        self.discount = discount
        self.family = family
        self.within_share = within_share
        self.n_auxiliary = n_auxiliary
        self.penalty = penalty
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        """Declare that input is counts, sparse or not, or numbers of any sign."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.family == "multinomial"
        return tags

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None) -> DirichletProcessMixture:
        """Find the clusters of documents × words counts, or of rows of numbers; `y` is ignored."""
        self._check_options()
        problem = self._problem(X, reset=True)
        found = METHODS[self.inference](problem, Options(*(getattr(self, name) for name in Options._fields)))
        self.labels_, self._counts_, _, self.sizes_, self.concentration_, self.word_prior_ = found.clusters
        self._weights_, self.n_clusters_samples_, self.trace_, self.r_hat_, self.effective_samples_ = found[1:]
        return self

    @property
    def n_clusters_(self) -> SampledNumber:
        """The median number of clusters over samples and chains, and its 95 % interval."""
        check_is_fitted(self)
        return SampledNumber.of(self.n_clusters_samples_)

    @property
    def components_(self) -> Floats:
        """The expected share of every word in every cluster (rows sum to one), or the mean of every column."""
        if self.family == "gaussian":
            sums = self._counts_[:, : self.n_features_in_]
            return np.asarray(self._centre_ + sums / (MEAN_STRENGTH + self.sizes_[:, None]))
        counts = self._counts_ + self._beta
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def predict(self, X: Matrix) -> Ints:
        """Return the likeliest cluster of each document; a new cluster is not considered."""
        return np.asarray(np.argmax(self._scores(X)[:, :-1], axis=1))

    def score_samples(self, X: Matrix) -> Floats:
        """Return ln p(document | documents of the fit), which may belong to any cluster or to a new one."""
        return np.asarray(logsumexp(self._scores(X), axis=1))

    def score(self, X: Matrix, y: Labels | None = None) -> float:
        """Return the mean of `score_samples`."""
        return float(self.score_samples(X).mean())

    def _scores(self, X: Matrix) -> Floats:
        check_is_fitted(self)
        held = (self._counts_, self._counts_.sum(axis=1), self.sizes_, self.concentration_, self._beta)
        problem, weights = self._problem(X, reset=False), getattr(self, "_weights_", None)
        return item_scores(problem, Clusters(self.labels_, *held), weights)

    @property
    def _beta(self) -> float:
        """β; a model saved by an earlier version has only the parameter."""
        return float(getattr(self, "word_prior_", self.word_prior))

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if sizes and sizes["statistics"] != sizes["words"] * (2 if self.family == "gaussian" else 1):
            raise ModelFileError(
                "DirichletProcessMixture._counts_ has the wrong number of columns; the model is damaged"
            )
        if sizes and self.family == "multinomial" and (self._counts_ < 0).any():
            raise ModelFileError("DirichletProcessMixture._counts_ has negative counts; the model is damaged")
        return sizes

    def _check_options(self) -> None:
        if self.discount and self.inference not in SAMPLED:
            raise InvalidInput(
                f"inference={self.inference!r} has no discount; use 'gibbs' or 'auxiliary', or discount=0"
            )

    def _problem(self, X: Matrix, *, reset: bool) -> Items:
        alpha = 0.0 if self.concentration == "learned" else float(self.concentration)
        if self.family == "multinomial":
            beta = 0.0 if self.word_prior == "learned" else float(self.word_prior)
            return Documents.of(self._check_counts(X, reset=reset), beta, alpha, float(self.discount))
        rows = self._check_rows(X, reset=reset).toarray()
        if reset:
            self._centre_ = rows.mean(axis=0)
            variances = rows.var(axis=0)
            self._within_ = self.within_share * np.where(variances > 0, variances, 1.0)
        return Rows.of(rows, self._centre_, self._within_, alpha, float(self.discount))
