"""Unlabelled topics with drifting content and changing intensity, tracked together (IDA-ITT)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils.validation import check_is_fitted, validate_data

from driftline.base.checked_matrices import safe_rows
from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesRows
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import COLUMNS, TIME_AXIS, Array, Layout, Optional, Text
from driftline.core.arrays import Counts, Floats, Ints, Labels, Matrix, Times
from driftline.core.errors import InvalidInput
from driftline.core.matrices import check_values
from driftline.core.randomness import Seed, generator, seed_of
from driftline.intensity.bursts.topic_bursts import topic_bursts
from driftline.intensity.drift.drifting_centroids import DriftingTopics, infer_mixture, infer_structured_drift
from driftline.intensity.tracking.document_evidence import known_topics, unsorted
from driftline.intensity.tracking.gaps import gaps_between
from driftline.intensity.tracking.implicit_model import IntensityModel
from driftline.intensity.tracking.intensity_interval import TRACKED, HasIntensityInterval
from driftline.text.vocabulary import WordList
from driftline.text.word_columns import words_at


class TopicDriftTracker(TakesRows, HasIntensityInterval, DriftEstimator):
    r"""Track the centroids and the intensities of topics in a stream, without labels (or with a few).

    A document is a point around its topic's centroid; centroids drift by a random walk, and the topic of the next
    document depends on the topics' intensities as in `IntensityTracker`. Counts (a sparse X) become points by latent
    semantic indexing; a dense X is used unchanged, so that any document vectors are possible.

    .. math:: \mu_{tk} = \mu_{t-1,k} + \nu, \quad \nu \sim N(0, \varepsilon^2 \sigma_k^2), \qquad
              w_t \mid c_t = k \sim N(\mu_{tk}, \sigma_k^2)

    Parameters
    ----------
    n_topics : the number of topics.
    n_components : dimensions of the latent semantic space, for a sparse X.
    drift : :math:`\varepsilon^2`, the variance of a centroid's drift between documents relative to that of the
    documents.
    drift_with_time : let a centroid drift with time (`drift` per mean gap) rather than per document.
    n_levels, ratio : the ladder of intensities, centred at the mean rate of a topic.
    transition : the probability that a topic's level changes between two documents.
    inference : "mixture" keeps the `n_kept` most probable label histories of each topic and level (the switching Kalman
        filter of the paper); "structured" is variational, smooths all documents, and supports any number of topics;
        "auto" uses the mixture up to four topics.
    lag : number of later documents over which topics are smoothed, with "mixture".
    start : the share of the stream, at its beginning, for the initial centroids, by k-means.
    interval : the probability of the intensities' interval.
    vocabulary : the words of the columns, for `topic_words`.

    Attributes
    ----------
    topic_proba_, labels_ : p(topic | stream), documents × topics, and its best column; in the order of X.
    centroids_, centroid_variances_ : documents × topics × dimensions.
    intensity_, intensity_lower_, intensity_upper_, level_, levels_, bursts_ : as in `IntensityTracker`.
    components_ : the directions of the latent space in words, for a sparse X; otherwise None.
    inference_ : the method used.

    >>> rng = np.random.default_rng(0)
    >>> t = np.arange(300)
    >>> topic = rng.integers(0, 2, 300)
    >>> centre = np.where(topic == 0, -4 + t / 40, 4 - t / 40)  # the two trade places ...
    >>> X = np.column_stack([centre, np.where(topic == 0, 2, -2)]) + rng.normal(0, 0.7, (300, 2))
    >>> found = TopicDriftTracker(n_topics=2, random_state=0).fit(X, times=t).labels_
    >>> bool(max((found == topic).mean(), (found != topic).mean()) > 0.97)  # ... and are not mixed up
    True
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        **TIME_AXIS,
        **TRACKED,
        "components_": Optional(Array("reduced", "words")),
        "inference_": Text(),
        "centroids_": Array("documents", "topics", "reduced"),
        "centroid_variances_": Array("documents", "topics", "reduced", least=0),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        "n_topics": [Interval(Integral, 1, None, closed="left")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "drift": [Interval(Real, 0, None, closed="left")],
        "drift_with_time": ["boolean"],
        "n_levels": [Interval(Integral, 1, 255, closed="both")],
        "ratio": [Interval(Real, 1, None, closed="neither")],
        "transition": [Interval(Real, 0, 1, closed="right")],
        "inference": [StrOptions({"auto", "mixture", "structured"})],
        "n_kept": [Interval(Integral, 1, None, closed="left")],
        "lag": [Interval(Integral, 0, None, closed="left")],
        "start": [Interval(Real, 0, 1, closed="right")],
        "interval": [Interval(Real, 0, 1, closed="neither")],
        "max_sweeps": [Interval(Integral, 1, None, closed="left")],
        "vocabulary": "no_validation",
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_topics: int = 4,
        n_components: int = 8,
        drift: float = 0.01,
        drift_with_time: bool = False,
        n_levels: int = 4,
        ratio: float = 3.0,
        transition: float = 0.1,
        inference: str = "auto",
        n_kept: int = 4,
        lag: int = 20,
        start: float = 0.2,
        interval: float = 0.9,
        max_sweeps: int = 100,
        vocabulary: WordList | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.n_topics = n_topics
        self.n_components = n_components
        self.drift = drift
        self.drift_with_time = drift_with_time
        self.n_levels = n_levels
        self.ratio = ratio
        self.transition = transition
        self.inference = inference
        self.n_kept = n_kept
        self.lag = lag
        self.start = start
        self.interval = interval
        self.max_sweeps = max_sweeps
        self.vocabulary = vocabulary
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: None = None, *, times: Times = None, labels: Labels | None = None) -> TopicDriftTracker:
        """Track the topics of a stream; `labels` are known topics (numbers from 0), -1 or None if unknown."""
        X = self._check_documents(X)
        n = X.shape[0]
        moments = self._check_times(times, n, reset=True)
        known = known_topics(labels, n, self.n_topics)
        rng = generator(self.random_state)
        order = np.argsort(moments, kind="stable")
        moments = moments[order]
        points = np.ascontiguousarray(self._points(X, rng)[order])
        gaps, mean_gap = gaps_between(moments)
        topics = self._first_centroids(points, gaps, known[order], rng)
        rungs = np.arange(self.n_levels) - (self.n_levels - 1) / 2
        rates = np.float64(self.ratio) ** rungs / self.n_topics
        prior = np.full(self.n_levels, 1 / self.n_levels)
        model = IntensityModel(np.empty((n, self.n_topics)), gaps, rates, float(self.transition), prior)
        tail = (1 - self.interval) / 2
        self.inference_ = self.inference
        if self.inference == "auto":
            self.inference_ = "mixture" if self.n_topics <= 4 else "structured"
        if self.inference_ == "mixture":
            found = infer_mixture(topics, model, keep=self.n_kept, lag=self.lag, tail=tail)
        else:
            rough = infer_mixture(topics, model, keep=1, most=16, lag=self.lag).intensities.topic_proba
            sweeps = {"max_sweeps": self.max_sweeps, "verbose": bool(self.verbose)}
            found = infer_structured_drift(topics, model, rough, tail=tail, **sweeps)  # type: ignore[arg-type]
        posterior = found.intensities
        self.levels_ = rates / mean_gap
        self.bursts_ = topic_bursts(posterior, moments, gaps * mean_gap, self.levels_, self._time_axis, tail=tail)
        self.topic_proba_ = unsorted(posterior.topic_proba, order)
        self.labels_ = self.topic_proba_.argmax(axis=1)
        self.intensity_ = unsorted(posterior.intensity / mean_gap, order)
        self.level_ = unsorted(posterior.middle, order)
        self._lower_, self._upper_ = unsorted(posterior.lower, order), unsorted(posterior.upper, order)
        self.centroids_ = np.ascontiguousarray(unsorted(found.centroids, order))
        self.centroid_variances_ = np.ascontiguousarray(unsorted(found.variances, order))
        return self

    def topic_words(self, topic: int, document: int = -1, n: int = 10) -> list[str | int]:
        """Return the words (or columns) with the largest weights in a topic's centroid at a document."""
        check_is_fitted(self)
        if self.components_ is None:
            raise InvalidInput("the documents were given as vectors, so there are no words; fit counts (a sparse X)")
        weights = self.centroids_[document, topic] @ self.components_
        best = np.argsort(-weights, kind="stable")[:n]
        return words_at(best, self.vocabulary)

    def _check_documents(self, X: Matrix) -> Counts | Floats:
        """Return counts (sparse) as canonical rows and vectors (dense) unchanged, both finite and bounded."""
        if sp.issparse(X):
            return self._check_counts(X, reset=True)
        vectors = validate_data(self, safe_rows(X), dtype=np.float64)
        check_values(vectors)
        return vectors

    def _points(self, X: Counts, rng: np.random.Generator) -> Floats:
        """Return dense X unchanged, counts in their latent semantic space."""
        self.components_ = None
        points: Floats
        if not sp.issparse(X):
            points = X
            return points
        n_components = max(1, min(self.n_components, X.shape[1] - 1, X.shape[0] - 1))
        weighted = TfidfTransformer(sublinear_tf=True).fit_transform(X)
        if X.shape[1] < 2 or X.shape[0] < 2:
            points = weighted.toarray()
            return points
        reduction = TruncatedSVD(n_components, random_state=seed_of(rng))
        with np.errstate(invalid="ignore", divide="ignore"):
            points = reduction.fit_transform(weighted)
        self.components_ = reduction.components_
        return points

    def _first_centroids(self, points: Floats, gaps: Floats, known: Ints, rng: np.random.Generator) -> DriftingTopics:
        n, _n_dims = points.shape
        head = points[: min(n, max(10 * self.n_topics, round(self.start * n)))]
        n_clusters = min(self.n_topics, len(np.unique(head, axis=0)))
        clusters = KMeans(n_clusters, n_init=5, random_state=seed_of(rng)).fit(head)
        overall = points.var(axis=0) + 1e-9 * max(float(points.var()), 1e-12) + 1e-12
        centres = np.tile(points.mean(axis=0), (self.n_topics, 1))
        spreads = np.tile(overall, (self.n_topics, 1))
        noise = np.tile(overall, (self.n_topics, 1))
        for k in range(n_clusters):
            members = head[clusters.labels_ == k]
            centres[k] = members.mean(axis=0)
            # A few documents determine their spread poorly: that of the whole stream counts as two documents
            noise[k] = (len(members) * members.var(axis=0) + 2 * overall) / (len(members) + 2)
            spreads[k] = noise[k]
        first_known = known[: len(head)]
        for k in np.unique(first_known[first_known >= 0]):
            centres[k] = head[first_known == k].mean(axis=0)
        drifts = self.drift * (gaps if self.drift_with_time else np.ones(n))
        return DriftingTopics(points, centres, spreads, noise, drifts, known)
