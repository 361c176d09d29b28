r"""Probabilistic latent semantic analysis: documents are mixtures of topics, without priors."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import COLUMNS, Array, Layout, Number
from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Matrix
from driftline.core.randomness import Seed, generator
from driftline.engines.choose import ENGINES, choose_engine, engine_of
from driftline.inference.em import EM
from driftline.inference.run import run
from driftline.inference.stopping import SmallRise, Stop
from driftline.topics.document_completion import Pairs
from driftline.topics.fitting import PARTS, partition
from driftline.topics.topic_model import TopicModel

LARGE = 80_000_000
"""Number of pairs × topics from which on "auto" prefers the graphics processor (`benchmarks/topics/gpu.py`)."""


class PLSA(TopicModel):
    r"""Find topics by maximum likelihood.

    :math:`p(w|d) = \sum_k \theta_{dk}\,\phi_{kw}`, fitted by EM (Hofmann). Tempered EM raises the posterior of the
    topics to a power below one, which is decreased as long as that improves held-out documents.

    Parameters
    ----------
    n_topics : int
        K.
    max_steps : int
        Steps of EM at most (at each temperature).
    tolerance : float
        Stop when the likelihood increases by less than this share.
    temperature : float or "held-out"
        The power. ``"held-out"`` starts at one and decreases it while the prediction of a tenth of the documents,
        folded in, improves.
    smoothing : float
        Added to the count of every word in every topic, so that no word is impossible.
    engine : {"threads", "dask", "gpu", "auto"}
        Where the E step runs. The result of threads and of Dask workers is the same; a graphics processor (``"gpu"``)
        works in single precision, and also does `transform` and the scores. ``"auto"`` takes it if there is one and
        the work is large.
    n_partitions : int, optional
        Number of parts of the documents.
    n_jobs : int, optional
        Threads.
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
    objective_ : ndarray
        The log-likelihood before every step.
    temperature_ : float
        The power in use.

    Examples
    --------
    >>> X = np.repeat([[4, 3, 0, 0], [0, 0, 5, 2]], 10, axis=0)
    >>> model = PLSA(n_topics=2, random_state=0).fit(X)
    >>> sorted(sorted(words) for words in model.top_words(2))
    [[0, 1], [2, 3]]
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        "doc_topic_prior_": Array("topics", least=0),
        "temperature_": Number(least=0),
        "components_": Array("topics", "words", least=0),
        "objective_": Array(None, finite=False),
        "n_steps_": Number(least=0, whole=True),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        "n_topics": [Interval(numbers.Integral, 1, None, closed="left")],
        "max_steps": [Interval(numbers.Integral, 1, None, closed="left")],
        "tolerance": [Interval(numbers.Real, 0, None, closed="left")],
        "temperature": [StrOptions({"held-out"}), Interval(numbers.Real, 0, 1, closed="right")],
        "smoothing": [Interval(numbers.Real, 0, None, closed="neither")],
        "engine": [StrOptions(set(ENGINES))],
        "n_partitions": [None, Interval(numbers.Integral, 1, None, closed="left")],
        "n_jobs": [None, numbers.Integral],
        "vocabulary": "no_validation",
        "random_state": "no_validation",
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_topics: int = 20,
        max_steps: int = 100,
        tolerance: float = 1e-5,
        temperature: Any = 1.0,
        smoothing: float = 1e-3,
        engine: str = "threads",
        n_partitions: int | None = None,
        n_jobs: int | None = None,
        vocabulary: Any = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.n_topics = n_topics
        self.max_steps = max_steps
        self.tolerance = tolerance
        self.temperature = temperature
        self.smoothing = smoothing
        self.engine = engine
        self.n_partitions = n_partitions
        self.n_jobs = n_jobs
        self.vocabulary = vocabulary
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> PLSA:
        """Learn from documents × words counts; `y` is ignored."""
        X = self._check_counts(X, reset=True)
        rng = generator(self.random_state)
        self.doc_topic_prior_ = np.zeros(self.n_topics)
        start = rng.dirichlet(np.ones(X.shape[1]), self.n_topics).T
        start = 0.5 * start + 0.5 / X.shape[1]
        if self.temperature == "held-out":
            self._fit_tempered(X, start, rng)
        else:
            self.temperature_ = float(self.temperature)
            self._learn(X, start)
        return self

    def _fit_tempered(self, X: Any, start: Floats, rng: Any) -> None:
        """Decrease the power while that improves the held-out documents, then fit to all of them with the best one."""
        held_out = np.zeros(X.shape[0], dtype=np.bool_)
        held_out[rng.permutation(X.shape[0])[: X.shape[0] // 10]] = True
        best, temperature = -np.inf, 1.0
        self.temperature_ = 1.0
        while held_out.any():
            self.temperature_ = temperature
            self._learn(X[~held_out], start)
            score = self.score(X[held_out])
            if score <= best:
                break
            best, best_temperature = score, temperature
            temperature *= 0.95
        if held_out.any():
            self.temperature_ = best_temperature
        self._learn(X, start)

    def _learn(self, X: Matrix, start: Floats) -> None:
        pairs = Pairs.of(sp.csr_matrix(X))
        name = choose_engine(self.engine, float(len(pairs.words)) * self.n_topics, large=LARGE).name
        with engine_of(name, self.n_jobs) as engine:
            parts = partition(pairs, self.n_partitions or PARTS)
            n_tokens = float(pairs.counts.sum(dtype=np.float64))
            problem = _Parts(
                tuple(engine.keep(parts)),
                tuple(part.n_documents for part in parts),
                start,
                self.temperature_,
                self.smoothing,
                n_tokens,
                engine,
            )
            stop = Stop(self.max_steps, SmallRise(self.tolerance))
            done = run(METHOD, problem, stop=stop, progress="EM", verbose=self.verbose)
            phi = current_kernels().plsa.topics_of(done.result.phi, self.n_topics)
        self.components_ = np.ascontiguousarray(phi.T)
        self.objective_, self.n_steps_ = done.objective[0], int(done.n_steps[0])


def expectation(theta: Any, part: Pairs, phi: Any, temperature: float, n_tokens: float) -> tuple[Any, Any]:
    """Do the E step for a part of the documents; return their new shares and the sums."""
    shares, sums = current_kernels().plsa.expect(theta, *part, phi, temperature, n_tokens)
    return shares, sums


def begin(n_documents: int, n_topics: int) -> tuple[Any, None]:
    """Return equal shares for every document of a part."""
    return current_kernels().plsa.begin_documents(n_documents, n_topics), None


class _Parts(NamedTuple):
    """Handles of the parts of the documents, the initial topics, and the fixed settings."""

    parts: tuple[Any, ...]
    sizes: tuple[int, ...]
    start: Floats
    temperature: float
    smoothing: float
    n_tokens: float
    engine: Any


class _Topics(NamedTuple):
    """The parameters: φ, words × topics, and handles of the shares of each part's documents."""

    phi: Any
    shares: tuple[Any, ...]


def _begin(problem: _Parts, rng: np.random.Generator) -> _Topics:
    n_topics = problem.start.shape[1]
    shares, _ = problem.engine.advance(begin, [(size, n_topics) for size in problem.sizes])
    return _Topics(current_kernels().plsa.begin_topics(problem.start), tuple(shares))


def _expect(topics: _Topics, problem: _Parts, rng: np.random.Generator) -> tuple[tuple[tuple[Any, ...], Any], float]:
    phi = problem.engine.share(topics.phi)
    tasks = [
        (shares, part, phi, problem.temperature, problem.n_tokens) for shares, part in zip(topics.shares, problem.parts)
    ]
    shares, (sums,) = problem.engine.advance(expectation, tasks, fold=current_kernels().plsa.added)
    return (tuple(shares), sums), current_kernels().plsa.likelihood_of(sums)


def _maximise(statistics: tuple[tuple[Any, ...], Any], before: _Topics, problem: _Parts) -> _Topics:
    shares, sums = statistics
    return _Topics(current_kernels().plsa.word_shares(sums, problem.start.shape[1], problem.smoothing), shares)


METHOD = EM(_begin, _expect, _maximise)
"""EM over parts of the documents, each of which keeps its documents' shares."""
