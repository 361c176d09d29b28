r"""A mixture of unigrams: every document has one topic, which may be known for some of them."""

from __future__ import annotations

import numbers
from typing import ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import COLUMNS, Array, Layout, Number
from driftline.base.topic_model import TopicModel
from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats, Ints, Labels, Matrix
from driftline.core.errors import InvalidInput
from driftline.core.labels import numbered_labels
from driftline.core.randomness import Seed, generator
from driftline.engines.choose import ENGINES, choose_engine, engine_of, traits_of
from driftline.guidance.guide import Guide
from driftline.guidance.heeded import Evidence
from driftline.guidance.wishes import KeepWish
from driftline.inference.guide_arrays import GuideArrays
from driftline.inference.projection import group_shares
from driftline.inference.run import run
from driftline.inference.stopping import SmallRise, Stop
from driftline.text.vocabulary import WordList
from driftline.topics.em_topics import EM_PARAMETERS
from driftline.topics.fitting import PARTS
from driftline.topics.guided import GUIDED, GuidedModel
from driftline.topics.guided_unigrams import GUIDED_EM, GuidedDocuments, posterior, projected
from driftline.topics.unigram_parts import PARTED, Parted, log_joint


class MixtureOfUnigrams(GuidedModel, TopicModel):
    r"""Assign each document to one topic.

    :math:`p(d) = \sum_k \pi_k \prod_w \phi_{kw}^{c_{dw}}` (1), fitted by EM to the maximum of the posterior under
    Dirichlet priors, from random soft topics. Documents whose topic is given in `y` keep it (Nigam et al.): their
    posteriors in the E step are known.

    Parameters
    ----------
    n_topics : int
        Number of topics, K; increased if `y` contains more.
    max_steps : int
        Maximum number of EM steps.
    tolerance : float
        Stop when the objective increases by less than this share.
    smoothing : float
        Prior count of every word in every topic (1 is Laplace's rule); the weights of the topics get one document each.
    unlabelled_weight : float
        Weight of a document without a label, relative to one with a label.
    engine : {"threads", "dask", "gpu", "auto"}
        Where EM runs. The result of threads and of Dask workers is the same; a graphics processor (``"gpu"``) stores
        the logarithms of φ in single precision, and is also used for `transform` and the scores. ``"auto"`` uses it if
        there is one and the problem is large. With a guide, EM runs on the CPU.
    n_jobs : int, optional
        Number of threads.
    guide : Guide, optional
        Wishes about topics, words and documents. Labels are certain; other priors of documents multiply the weights.
    likelihood_power : float
        Power of the likelihood in the posterior of a document. Words are not independent; with a power below one, they
        count less against labels, links and proportions.
    vocabulary, random_state, verbose
        The words of the columns; the seed; whether to show progress.

    Attributes
    ----------
    components_ : ndarray of shape (n_topics, n_words)
        φ; rows sum to one.
    weights_ : ndarray of shape (n_topics,)
        π.
    labels_ : ndarray of shape (n_documents,)
        The most probable topic of every document of the fit.
    objective_ : ndarray
        The log posterior before every step.
    topic_names_, guide_report_ : list of str, Results
        With a guide: the names of the topics (their numbers where they have none), and the outcome of every wish.

    Examples
    --------
    >>> X = np.repeat([[4, 3, 0, 0], [0, 0, 5, 2]], 10, axis=0)
    >>> y = np.full(20, -1)
    >>> y[0], y[-1] = 1, 0
    >>> MixtureOfUnigrams(n_topics=2, random_state=0).fit(X, y).predict([[1, 0, 0, 0], [0, 0, 0, 1]])
    array([1, 0])
    """

    weights_: Floats
    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        "components_": Array("topics", "words", least=0),
        "weights_": Array("topics", least=0),
        "objective_": Array(None, finite=False),
        "n_steps_": Number(least=0, whole=True),
        "labels_": Array("documents", kind="i", below="topics"),
        **GUIDED,
    }

    _parameter_constraints: ClassVar[Constraints] = {
        **EM_PARAMETERS,
        "unlabelled_weight": [Interval(numbers.Real, 0, None, closed="left")],
        "engine": [StrOptions(set(ENGINES))],
        "guide": [None, Guide],
        "likelihood_power": [Interval(numbers.Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        n_topics: int = 20,
        max_steps: int = 100,
        tolerance: float = 1e-6,
        smoothing: float = 0.01,
        unlabelled_weight: float = 1.0,
        engine: str = "threads",
        n_jobs: int | None = None,
        guide: Guide | None = None,
        likelihood_power: float = 1.0,
        vocabulary: WordList | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.n_topics = n_topics
        self.max_steps = max_steps
        self.tolerance = tolerance
        self.smoothing = smoothing
        self.unlabelled_weight = unlabelled_weight
        self.engine = engine
        self.n_jobs = n_jobs
        self.guide = guide
        self.likelihood_power = likelihood_power
        self.vocabulary = vocabulary
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None) -> MixtureOfUnigrams:
        """Learn from documents × words counts; `y` contains known topics, numbered from 0, otherwise −1."""
        return self._fit(self._check_counts(X, reset=True), y, None)

    def refit(self, X: Matrix, y: Labels | None = None, *, guide: Guide | None = None) -> MixtureOfUnigrams:
        """Continue from the current topics with another guide, as `LDA.refit` does."""
        check_is_fitted(self)
        X = self._check_counts(X, reset=False)
        sizes = np.asarray(X.sum(axis=1)).ravel() @ np.asarray(self.transform(X))
        return self._fit(X, y, self._present_topics(guide, sizes))

    def _fit(self, X: Counts, y: Labels | None, present: KeepWish | None) -> MixtureOfUnigrams:
        known = numbered_labels(y, X.shape[0])
        rng = generator(self.random_state)
        n_topics = max(self.n_topics, int(known.max(initial=-1)) + 1)
        arrays = self._compiled(X, present)
        if arrays is not None and n_topics > self.n_topics:
            raise InvalidInput(f"y names {n_topics} topics, but with a guide n_topics={self.n_topics} must be enough")
        if arrays is not None and arrays.documents.known is not None:
            labelled = arrays.documents.known
            odd = np.flatnonzero((known >= 0) & (labelled >= 0) & (known != labelled))
            if len(odd):
                raise InvalidInput(f"y and the guide give document {odd[0]} different topics")
            known = np.where(known >= 0, known, labelled)
        mass = np.where(known >= 0, 1.0, self.unlabelled_weight)
        if arrays is None:
            self._fit_plain(X, known, mass, n_topics, rng)
        else:
            self._fit_guided(X, known, mass, arrays, present is not None, rng)
        return self

    def _fit_plain(self, X: Counts, known: Ints, mass: Floats, n_topics: int, rng: np.random.Generator) -> None:
        """Fit on any engine."""
        how = (n_topics, self.smoothing, self.likelihood_power)
        with engine_of(choose_engine(self.engine, float(X.nnz) * n_topics).name, self.n_jobs) as engine:
            problem = Parted.of(X, known, mass, *how, engine, PARTS)
            done = run(PARTED, problem, stop=self._stop, rng=rng, progress="EM", verbose=self.verbose)
            shares, weights = current_kernels().unigrams.parameters_of(done.result, n_topics)
        self.components_, self.weights_ = np.ascontiguousarray(shares.T), weights
        self.objective_, self.n_steps_ = done.objective[0], int(done.n_steps[0])
        self.labels_ = np.where(known >= 0, known, np.argmax(self._joint(X), axis=1))

    def _fit_guided(
        self, X: Counts, known: Ints, mass: Floats, arrays: GuideArrays, again: bool, rng: np.random.Generator
    ) -> None:
        """Fit with the wishes of a guide, and report their outcomes."""
        traits = traits_of(self.engine)
        if not (traits.one_memory and traits.every_method):
            raise InvalidInput(f"engine={self.engine!r} takes no guide; use engine='threads'")
        how = (self.n_topics, self.smoothing, self.likelihood_power)
        problem = GuidedDocuments.of(X, known, mass, *how, arrays, again)
        done = run(GUIDED_EM, problem, stop=self._stop, rng=rng, progress="EM", verbose=self.verbose)
        self.components_, self.weights_ = done.result.components, done.result.weights
        self.objective_, self.n_steps_ = done.objective[0], int(done.n_steps[0])
        logs = posterior(done.result, problem)[0]
        found = projected(logs, problem)
        belief = np.exp(logs) if found is None else found.posterior
        self.labels_ = np.where(known >= 0, known, np.argmax(belief, axis=1))
        evidence = Evidence(X.T @ belief, self.components_, np.asarray(self.transform(X)), belief, problem.mass)
        if found is not None and arrays.bounds is not None:
            bounded = group_shares(belief, arrays.bounds, problem.mass)
            evidence = evidence._replace(multipliers=found.multipliers, bounded=bounded)
        self._report_wishes(arrays, evidence)

    @property
    def _stop(self) -> Stop:
        return Stop(self.max_steps, SmallRise(self.tolerance))

    def transform(self, X: Matrix) -> Floats:
        """Return the probability of every topic for each document."""
        check_is_fitted(self)
        joint = self._joint(self._check_counts(X, reset=False))
        found: Floats = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        return found

    def predict(self, X: Matrix) -> Ints:
        """Return the most probable topic of each document."""
        check_is_fitted(self)
        found: Ints = np.argmax(self._joint(self._check_counts(X, reset=False)), axis=1)
        return found

    @property
    def doc_topic_prior_(self) -> Floats:  # type: ignore[override]
        """The prior of a document's topics in `score`: the weights."""
        return self.weights_

    def _joint(self, X: Counts) -> Floats:
        with self._scoring_engine(X) as engine:
            return log_joint(X, self.components_, self.weights_, self.likelihood_power, engine)
