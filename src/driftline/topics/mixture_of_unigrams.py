r"""A mixture of unigrams: every document has one topic, which may be known for some of them."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from driftline.base.sklearn_private import Constraints, Interval, fit_context
from driftline.base.state_layout import COLUMNS, Array, Layout, Number
from driftline.core.arrays import Counts, Floats, Ints, Matrix
from driftline.core.labels import numbered_labels
from driftline.core.randomness import Seed, generator
from driftline.inference.em import EM
from driftline.inference.run import run
from driftline.inference.stopping import SmallRise, Stop
from driftline.topics.topic_model import TopicModel


class MixtureOfUnigrams(TopicModel):
    r"""Assign each document to one topic.

    :math:`p(d) = \sum_k \pi_k \prod_w \phi_{kw}^{c_{dw}}` (1), fitted by EM to the maximum of the posterior under
    Dirichlet priors, from random soft topics. Documents whose topic is given in `y` keep it (Nigam et al.): their
    posteriors in the E step are known.

    Parameters
    ----------
    n_topics : int
        K; more if `y` names more.
    max_steps : int
        Maximum number of EM steps.
    tolerance : float
        Stop when the objective increases by less than this share.
    smoothing : float
        Prior count of every word in every topic (1 is Laplace's rule); the weights of the topics get one document each.
    unlabelled_weight : float
        Weight of a document without a label, relative to one with a label.
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

    _parameter_constraints: ClassVar[Constraints] = {
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
        random_state: Seed = None,
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

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> MixtureOfUnigrams:
        """Learn from documents × words counts; `y` contains topics from 0 on if they are known, otherwise −1."""
        X = self._check_counts(X, reset=True)
        known = numbered_labels(y, X.shape[0])
        rng = generator(self.random_state)
        n_topics = max(self.n_topics, int(known.max(initial=-1)) + 1)
        problem = _Documents(X, known, np.where(known >= 0, 1.0, self.unlabelled_weight), n_topics, self.smoothing)
        stop = Stop(self.max_steps, SmallRise(self.tolerance))
        done = run(METHOD, problem, stop=stop, rng=rng, progress="EM", verbose=self.verbose)
        self.components_, self.weights_ = done.result
        self.objective_, self.n_steps_ = done.objective[0], int(done.n_steps[0])
        self.labels_ = np.where(known >= 0, known, np.argmax(self._joint(X), axis=1))
        return self

    def transform(self, X: Matrix) -> Floats:
        """Return the probability of every topic for each document."""
        check_is_fitted(self)
        joint = self._joint(self._check_counts(X, reset=False))
        found: Floats = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        return found

    def predict(self, X: Matrix) -> Ints:
        """Return the likeliest topic of each document."""
        check_is_fitted(self)
        found: Ints = np.argmax(self._joint(self._check_counts(X, reset=False)), axis=1)
        return found

    @property
    def doc_topic_prior_(self) -> Floats:  # type: ignore[override]
        """The prior of a document's topics in `score`: the weights."""
        return self.weights_

    def _joint(self, X: Counts) -> Floats:
        return _log_joint(_Mixture(self.components_, self.weights_), X)


class _Mixture(NamedTuple):
    """The parameters: φ, topics × words, and π."""

    components: Floats
    weights: Floats


class _Documents(NamedTuple):
    """The documents with the topics known of them (−1 if none), their weights, and the prior."""

    X: Counts
    known: Ints
    mass: Floats
    n_topics: int
    smoothing: float


def _begin(problem: _Documents, rng: np.random.Generator) -> _Mixture:
    belief = rng.dirichlet(np.ones(problem.n_topics), problem.X.shape[0])
    known = problem.known >= 0
    belief[known] = np.eye(problem.n_topics)[problem.known[known]]
    return _maximise(belief * problem.mass[:, None], None, problem)


def _expect(mixture: _Mixture, problem: _Documents, rng: np.random.Generator) -> tuple[Floats, float]:
    joint, known = _log_joint(mixture, problem.X), problem.known >= 0
    joint[known] = np.where(np.arange(problem.n_topics) == problem.known[known][:, None], joint[known], -np.inf)
    evidence = logsumexp(joint, axis=1)
    prior = problem.smoothing * np.log(mixture.components).sum() + np.log(mixture.weights).sum()
    belief = np.exp(joint - evidence[:, None]) * problem.mass[:, None]
    return belief, float(problem.mass @ evidence + prior)


def _maximise(belief: Floats, before: _Mixture | None, problem: _Documents) -> _Mixture:
    counts = (problem.X.T @ belief).T + problem.smoothing
    weights = belief.sum(axis=0) + 1.0
    return _Mixture(np.ascontiguousarray(counts / counts.sum(axis=1, keepdims=True)), weights / weights.sum())


def _log_joint(mixture: _Mixture, X: Counts) -> Floats:
    """Return ln π_k + Σ c ln φ_kw of every document and topic (1)."""
    return np.asarray(X @ np.log(mixture.components).T + np.log(mixture.weights))


METHOD = EM(_begin, _expect, _maximise)
"""EM for the mixture."""
