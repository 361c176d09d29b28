r"""Sparse topical coding: the bag-of-words counterpart of local context coding."""

from __future__ import annotations

import itertools
import numbers
from typing import ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesCounts
from driftline.base.sklearn_private import Constraints, Interval, fit_context
from driftline.base.state_layout import COLUMNS, Array, Each, Layout, Number
from driftline.coding.local_contexts import arrays_of
from driftline.compute import current_kernels
from driftline.core.arrays import Counts, Floats, Labels, Matrix
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator
from driftline.engines.contract import Engine
from driftline.engines.threads import Threads
from driftline.inference.em import EM
from driftline.inference.run import run
from driftline.inference.stopping import SmallDecrease, Stop
from driftline.text.vocabulary import WordList
from driftline.text.word_columns import words_at

N_TASKS = 4
"""Number of tasks into which documents are split, independent of the number of threads."""
MOST_ROUNDS = 200


class SparseTopicalCoding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, TakesCounts, DriftEstimator):
    r"""Code every word of a document by topics, and the document by the common part of its words' codes.

    Topics :math:`\beta_k` (distributions over words), word codes :math:`s_{dn} \ge 0` and document codes
    :math:`\theta_d \ge 0` minimise

    .. math:: \sum_d \sum_{n \in d} \left[ s_{dn}^\top\beta_n - w_{dn} \log s_{dn}^\top\beta_n
              + \gamma \|s_{dn} - \theta_d\|_2^2 + \rho \|s_{dn}\|_1 \right] + \lambda \|\theta_d\|_1 ,

    the negative log-likelihood of Poisson counts with penalties that make codes sparse. Given the topics the problem is
    convex; word codes given the document's code, and the document's code given theirs, are both computed exactly, in
    alternation. Topics minimise an upper bound of the objective on the simplex. Word order is ignored.

    Parameters
    ----------
    n_topics : int
        K.
    alpha : float
        λ, the L1 penalty on document codes.
    coupling : float
        γ, the penalty on the distance between a word's code and its document's code.
    word_alpha : float
        ρ, the L1 penalty on word codes.
    max_iter, tol : int, float
        The maximum number of iterations, and the relative decrease of the objective at which they end.
    code_tol : float
        The relative decrease at which the coding of one document ends.
    vocabulary :
        The words, for `top_words`.
    n_jobs, random_state, verbose :
        Threads (the result does not depend on them); seed; progress.

    Attributes
    ----------
    topics_ : array, topics × words
        Every row sums to one.
    objectives_ : list of float
        The objective after every iteration.

    Examples
    --------
    >>> X = np.array([[4, 4, 0, 0], [3, 5, 0, 0], [0, 0, 4, 4], [0, 0, 5, 3]])
    >>> codes = SparseTopicalCoding(n_topics=2, random_state=0).fit_transform(X)
    >>> codes.argmax(axis=1).tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """

    _state_layout: ClassVar[Layout | None] = {
        **COLUMNS,
        "objectives_": Each(Number()),
        "topics_": Array("topics", "words", least=0),
        "n_iter_": Number(least=0, whole=True),
    }

    _parameter_constraints: ClassVar[Constraints] = {
        "n_topics": [Interval(numbers.Integral, 1, None, closed="left")],
        "alpha": [Interval(numbers.Real, 0, None, closed="left")],
        "coupling": [Interval(numbers.Real, 0, None, closed="neither")],
        "word_alpha": [Interval(numbers.Real, 0, None, closed="left")],
        "max_iter": [Interval(numbers.Integral, 1, None, closed="left")],
        "tol": [Interval(numbers.Real, 0, None, closed="left")],
        "code_tol": [Interval(numbers.Real, 0, None, closed="left")],
        "vocabulary": "no_validation",
        "n_jobs": [None, numbers.Integral],
        "random_state": ["random_state", np.random.Generator],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_topics: int = 20,
        *,
        alpha: float = 0.1,
        coupling: float = 0.1,
        word_alpha: float = 0.01,
        max_iter: int = 50,
        tol: float = 1e-4,
        code_tol: float = 1e-5,
        vocabulary: WordList | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.n_topics = n_topics
        self.alpha = alpha
        self.coupling = coupling
        self.word_alpha = word_alpha
        self.max_iter = max_iter
        self.tol = tol
        self.code_tol = code_tol
        self.vocabulary = vocabulary
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: Labels | None = None) -> SparseTopicalCoding:
        """Learn topics from counts, documents × words; `y` is ignored."""
        X = self._check_counts(X, reset=True)
        if X.nnz == 0 or X.data.max() <= 0:
            raise InvalidInput("no document has a word; pass counts that are not all zero")
        with Threads(self.n_jobs) as engine:
            problem, stop = self._problem(X, engine), Stop(self.max_iter, SmallDecrease(self.tol))
            rng = generator(self.random_state)
            done = run(METHOD, problem, stop=stop, rng=rng, progress="Learning topics", verbose=self.verbose)
        self.objectives_ = [-info.objective for info in done.infos[0]]
        self.topics_ = np.ascontiguousarray(done.result.topics.T)
        self.n_iter_ = len(self.objectives_)
        return self

    def transform(self, X: Matrix) -> Floats:
        """Return the code of every document, documents × topics; words of no topic are ignored."""
        check_is_fitted(self)
        X = self._check_counts(X, reset=False)
        known = self.topics_.sum(axis=0) > 0
        if not known.all():
            X = sp.csr_matrix(X @ sp.diags(known.astype(np.float64)))
            X.eliminate_zeros()
        codes = np.zeros((X.shape[0], len(self.topics_)))
        with Threads(self.n_jobs) as engine:
            code_documents(self._problem(X, engine), np.ascontiguousarray(self.topics_.T), codes)
        return codes

    def top_words(self, n: int = 10) -> list[list[str | int]]:
        """Return the words with the largest shares of every topic; column numbers if there is no vocabulary."""
        check_is_fitted(self)
        order = np.argsort(-self.topics_, axis=1, kind="stable")[:, :n]
        return [words_at(row, self.vocabulary) for row in order]

    @property
    def _n_features_out(self) -> int:
        return len(self.topics_)

    def _problem(self, X: Counts, engine: Engine) -> Problem:
        penalties = (float(self.alpha), float(self.coupling), float(self.word_alpha))
        return Problem(X, self.n_topics, penalties, float(self.code_tol), engine)


class Problem(NamedTuple):
    """The documents, the number of topics, the penalties (λ, γ, ρ), the tolerance of codes, and the engine."""

    X: Counts
    n_topics: int
    penalties: tuple[float, float, float]
    code_tol: float
    engine: Engine


class Fit(NamedTuple):
    """The parameters: words × topics, and the codes of all documents, from which the next codes begin."""

    topics: Floats
    codes: Floats


class Statistics(NamedTuple):
    """Statistics of the codes for the update of the topics, each words × topics."""

    pulls: Floats
    uses: Floats


def code_documents(problem: Problem, topics: Floats, codes: Floats) -> tuple[Statistics, float]:
    """Improve the codes of all documents in place; return their statistics for the topics, and their objective."""
    cuts = np.linspace(0, problem.X.shape[0], N_TASKS + 1).astype(int)
    shares = np.zeros((N_TASKS, 2, *topics.shape))
    tasks: list[tuple[object, ...]] = []
    for part, (first, last) in zip(shares, itertools.pairwise(cuts)):
        rows = arrays_of(sp.csr_matrix(problem.X[first:last]))
        limits = (problem.penalties, problem.code_tol, MOST_ROUNDS)
        tasks.append((rows, topics, *limits, codes[first:last], *part))
    values = problem.engine.map(current_kernels().topical_coding.code_counts, tasks)
    return Statistics(*shares.sum(axis=0)), float(sum(values))


def _begin(problem: Problem, rng: np.random.Generator) -> Fit:
    topics = _first_topics(problem.X, problem.n_topics, rng)
    return Fit(topics, np.zeros((problem.X.shape[0], problem.n_topics)))


def _expect(fit: Fit, problem: Problem, rng: np.random.Generator) -> tuple[Statistics, float]:
    statistics, value = code_documents(problem, *fit)
    return statistics, -value


def _maximise(statistics: Statistics, fit: Fit, problem: Problem) -> Fit:
    current_kernels().topical_coding.best_topics(fit.topics, *statistics)
    return fit


METHOD = EM(_begin, _expect, _maximise)
"""EM: codes given the topics, then topics given the codes; the objective is the negative of the loss."""


def _first_topics(X: Counts, n_topics: int, rng: np.random.Generator) -> Floats:
    """Return words × topics: the word shares of the corpus, plus a few documents per topic."""
    background = np.asarray(X.sum(axis=0)).ravel()
    background = background / background.sum()
    filled = np.flatnonzero(np.diff(X.indptr))
    topics = np.empty((X.shape[1], n_topics))
    for k in range(n_topics):
        drawn = np.asarray(X[rng.choice(filled, 3)].sum(axis=0)).ravel()
        topics[:, k] = 0.5 * background + 0.5 * drawn / max(drawn.sum(), 1e-300)
    found: Floats = topics / topics.sum(axis=0)
    return found
