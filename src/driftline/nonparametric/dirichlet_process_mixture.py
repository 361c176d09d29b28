r"""A Dirichlet process mixture: clusters of documents or of rows of numbers, whose number is inferred."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from driftline.base.sklearn_private import fit_context
from driftline.base.state_layout import COLUMNS, Array, Layout, Number, Optional
from driftline.core.arrays import Bools, Floats, Ints, Labels, Matrix
from driftline.core.errors import ModelFileError
from driftline.inference.sampled_number import SampledNumber
from driftline.nonparametric.cluster_gibbs import item_scores
from driftline.nonparametric.cluster_items import Clusters
from driftline.nonparametric.cluster_methods import METHODS, Options
from driftline.nonparametric.gaussian_items import MEAN_STRENGTH
from driftline.nonparametric.mixture_parameters import MixtureParameters


class DirichletProcessMixture(MixtureParameters):
    r"""Group documents, or rows of numbers, into an unknown number of clusters.

    A partition is drawn from the Chinese restaurant process with concentration α and discount d; the words of cluster k
    have shares :math:`\phi_k \sim \mathrm{Dir}(\beta)`, or its columns are normal (1). Gibbs sweeps sample the clusters
    and keep the sample of highest joint probability; variational inference maximises a bound on the evidence; DP-means
    minimises squared distances plus a penalty per cluster.

    Parameters
    ----------
    concentration : float or "learned", α. Larger values give more clusters. Learned, it has a Gamma(1, 1) prior.
    word_prior : float or "learned", β. Smaller values give more and purer clusters. Learned, the prior is Gamma(1, 1).
    burn_in, n_samples : int, for sampling: sweeps before the first sample, and samples (one per sweep after that).
    n_chains : int, chains that run in parallel; "variational" keeps the one with the highest bound.
    inference : {"gibbs", "auxiliary", "variational", "dp-means"}
        Neal's algorithm 3 (parameters integrated out), Neal's algorithm 8, Blei and Jordan's method, Kulis and
        Jordan's.
    max_clusters, max_steps, tolerance : for "variational": the truncation, the maximum number of steps, and the
        relative increase of the bound below which it stops.
    discount : float, d. Above 0 (Pitman-Yor) there are more small clusters. Only for sampling.
    family : {"multinomial", "gaussian"}, counts of words, or numbers of any sign.
    within_share : float, for "gaussian": the share of a column's variance that is expected within clusters.
    n_auxiliary : int, for "auxiliary": auxiliary clusters per draw.
    penalty : float or None, for "dp-means": λ. None chooses it by farthest-first traversal.
    n_jobs, random_state, verbose : number of threads, which does not affect the result; the seed; show progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_documents,), the clusters, numbered by size, the largest first; −1 if empty.
    n_empty_ : int, the number of documents without words, which belong to no cluster.
    sizes_, components_ : ndarray of shape (n_clusters,) and (n_clusters, n_words)
        The number of documents in each cluster, and the expected shares of its words (or the means of its columns).
    n_clusters_, n_clusters_samples_ : SampledNumber, ndarray of shape (n_chains · n_samples,)
        Median and 95 % interval of the number of clusters, and the number in every sample (or the one found).
    concentration_, word_prior_ : float, α and β of the kept sample (or the mean).
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
        "labels_": Array("documents", kind="i", least=-1, below="clusters"),
        "n_empty_": Optional(Number(least=0, whole=True)),
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

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None) -> DirichletProcessMixture:
        """Find the clusters of documents × words counts, or of rows of numbers; `y` is ignored."""
        items, some = self._first_items(X)
        found = METHODS[self.inference](items, Options(*(getattr(self, name) for name in Options._fields)))
        labels, self._counts_, _, self.sizes_, self.concentration_, self.word_prior_ = found.clusters
        self.labels_, self.n_empty_ = np.full(len(some), -1, np.int64), int((~some).sum())
        self.labels_[some] = labels
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
        """Return the most probable existing cluster of each document; −1 if it has no words."""
        scores, some = self._scores(X)
        return np.where(some, np.argmax(scores[:, :-1], axis=1), -1)

    def score_samples(self, X: Matrix) -> Floats:
        """Return ln p(document | documents of the fit); it may belong to any cluster or to a new one."""
        return np.asarray(logsumexp(self._scores(X)[0], axis=1))

    def score(self, X: Matrix, y: Labels | None = None) -> float:
        """Return the mean of `score_samples`."""
        return float(self.score_samples(X).mean())

    def _scores(self, X: Matrix) -> tuple[Floats, Bools]:
        check_is_fitted(self)
        held = (self._counts_, self._counts_.sum(axis=1), self.sizes_, self.concentration_, self._beta)
        items, some = self._more_items(X)
        return item_scores(items, Clusters(self.labels_, *held), getattr(self, "_weights_", None)), some

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
