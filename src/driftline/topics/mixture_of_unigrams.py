r"""A mixture of unigrams: every document has one topic, which may be known for some of them."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from driftline.base.state_layout import COLUMNS, Array, Layout, Number
from driftline.core.arrays import Counts, Floats, Ints
from driftline.core.errors import InvalidInput
from driftline.core.randomness import generator
from driftline.inference.em import run_em
from driftline.topics.topic_model import TopicModel


class MixtureOfUnigrams(TopicModel):
    r"""Sort documents into topics, each document into one.

    :math:`p(d) = \sum_k \pi_k \prod_w \phi_{kw}^{c_{dw}}` (1), fitted by EM to the maximum of the posterior under
    Dirichlet priors, from random soft topics. Documents whose topic is given in `y` keep it (Nigam et al.): their part
    of the E step is known.

    Parameters
    ----------
    n_topics : int
        K; more if `y` names more.
    max_steps : int
        Steps of EM at most.
    tolerance : float
        End when the objective rises by less than this share.
    smoothing : float
        What the prior adds to the count of every word in every topic (1 is Laplace's rule); the weights of the topics
        get one document each.
    unlabelled_weight : float
        How much a document without a label counts, against one with a label.
    n_jobs : int, optional
        Threads, for the scores.
    vocabulary : sequence of str or Vocabulary, optional
        The words of the columns.
    random_state : int, RandomState, Generator or None
        The seed.
    verbose : bool
        Show progress.

    Attributes
    ----------
    components_ : ndarray of shape (n_topics, n_words)
        φ; rows sum to one.
    weights_ : ndarray of shape (n_topics,)
        π.
    labels_ : ndarray of shape (n_documents,)
        The likeliest topic of every document of the fit.
    objective_ : ndarray
        The log posterior before every step.

    Examples
    --------
    >>> X = np.repeat([[4, 3, 0, 0], [0, 0, 5, 2]], 10, axis=0)
    >>> y = np.full(20, -1)
    >>> y[0], y[-1] = 1, 0
    >>> MixtureOfUnigrams(n_topics=2, random_state=0).fit(X, y).predict([[1, 0, 0, 0], [0, 0, 0, 1]])
    array([1, 0])
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        "components_": Array("topics", "words", least=0),
        "weights_": Array("topics", least=0),
        "objective_": Array(None, finite=False),
        "n_steps_": Number(least=0, whole=True),
        "labels_": Array("documents", kind="i", below="topics"),
    }

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_topics": [Interval(numbers.Integral, 1, None, closed="left")],
        "max_steps": [Interval(numbers.Integral, 1, None, closed="left")],
        "tolerance": [Interval(numbers.Real, 0, None, closed="left")],
        "smoothing": [Interval(numbers.Real, 0, None, closed="neither")],
        "unlabelled_weight": [Interval(numbers.Real, 0, None, closed="left")],
        "n_jobs": [None, numbers.Integral],
        "vocabulary": "no_validation",
        "random_state": "no_validation",
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_topics: int = 20,
        max_steps: int = 100,
        tolerance: float = 1e-6,
        smoothing: float = 0.01,
        unlabelled_weight: float = 1.0,
        n_jobs: int | None = None,
        vocabulary: Any = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.n_topics = n_topics
        self.max_steps = max_steps
        self.tolerance = tolerance
        self.smoothing = smoothing
        self.unlabelled_weight = unlabelled_weight
        self.n_jobs = n_jobs
        self.vocabulary = vocabulary
        self.random_state = random_state
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> MixtureOfUnigrams:
        """Learn from documents × words counts; `y` holds topics from 0 on where they are known, else −1."""
        X = self._check_counts(X, reset=True)
        known = self._check_labels(y, X.shape[0])
        rng = generator(self.random_state)
        n_topics = max(self.n_topics, int(known.max(initial=-1)) + 1)
        belief = rng.dirichlet(np.ones(n_topics), X.shape[0])
        belief[known >= 0] = np.eye(n_topics)[known[known >= 0]]
        mass = np.where(known >= 0, 1.0, self.unlabelled_weight)
        self._maximise(X, belief * mass[:, None])

        def step() -> float:
            joint = self._joint(X)
            joint[known >= 0] = np.where(np.arange(n_topics) == known[known >= 0][:, None], joint[known >= 0], -np.inf)
            evidence = logsumexp(joint, axis=1)
            prior = self.smoothing * np.log(self.components_).sum() + np.log(self.weights_).sum()
            self._maximise(X, np.exp(joint - evidence[:, None]) * mass[:, None])
            return float(mass @ evidence + prior)

        done = run_em(step, self.max_steps, self.tolerance, verbose=self.verbose)
        self.objective_, self.n_steps_ = done.objective, done.n_steps
        self.labels_ = np.where(known >= 0, known, np.argmax(self._joint(X), axis=1))
        return self

    def transform(self, X: Any) -> Floats:
        """Return the probability of every topic for each document."""
        check_is_fitted(self)
        joint = self._joint(self._check_counts(X, reset=False))
        return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))

    def predict(self, X: Any) -> Ints:
        """Return the likeliest topic of each document."""
        check_is_fitted(self)
        return np.argmax(self._joint(self._check_counts(X, reset=False)), axis=1)

    @property
    def doc_topic_prior_(self) -> Floats:  # type: ignore[override]
        """What `score` takes as prior of a document's topics: the weights."""
        return self.weights_

    def _joint(self, X: Counts) -> Floats:
        """Return ln π_k + Σ c ln φ_kw of every document and topic (1)."""
        return X @ np.log(self.components_).T + np.log(self.weights_)

    def _maximise(self, X: Counts, belief: Floats) -> None:
        counts = (X.T @ belief).T + self.smoothing
        self.components_ = np.ascontiguousarray(counts / counts.sum(axis=1, keepdims=True))
        weights = belief.sum(axis=0) + 1.0
        self.weights_ = weights / weights.sum()

    def _check_labels(self, y: Any, n: int) -> Ints:
        if y is None:
            return np.full(n, -1, dtype=np.int64)
        labels = np.asarray(y)
        if labels.shape != (n,):
            raise InvalidInput(
                f"there are {n} documents but labels of shape {labels.shape}; pass one label per document"
            )
        if labels.dtype.kind == "O":
            labels = np.array([-1 if label is None else label for label in labels])
        if labels.dtype.kind not in "iu" and not (labels.dtype.kind == "f" and (labels == np.rint(labels)).all()):
            raise InvalidInput(f"labels are the numbers of topics, or -1 for unlabelled, not {labels.dtype}")
        labels = labels.astype(np.int64)
        if (labels < -1).any():
            raise InvalidInput(f"labels must be topics counted from 0, or -1 for unlabelled, not {labels.min()}")
        return labels
