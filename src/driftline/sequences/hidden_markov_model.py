r"""A hidden Markov model of token sequences."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesSequences
from driftline.base.sequence_input import as_sequences
from driftline.base.sklearn_private import Constraints, Interval, fit_context
from driftline.base.state_layout import Array, Layout, Number, Optional
from driftline.base.word_numbers import HasWordNumbers, in_columns, words_of
from driftline.core.arrays import Floats, Ints, Labels, Matrix
from driftline.core.errors import InvalidInput
from driftline.core.randomness import Seed, generator
from driftline.engines.threads import Threads
from driftline.inference.run import run
from driftline.inference.stopping import SmallRise, Stop
from driftline.sequences.baum_welch import BAUM_WELCH, Parameters, Sequences, best_paths, expected_counts
from driftline.text.sequences import TokenSequences


class HiddenMarkovModel(HasWordNumbers, TakesSequences, DriftEstimator):
    r"""Infer the sequence of hidden states of documents, word by word.

    A document starts in state i with probability :math:`\pi_i`, goes from state i to j with :math:`A_{ij}`, and in
    state i emits word v with :math:`B_{iv}` (1). Fitted by EM (Baum-Welch) to the maximum of the posterior under
    Dirichlet priors; of several random starts the best is kept.

    Parameters
    ----------
    n_states, n_restarts : int
        The number of states, and of random starts, which run in parallel.
    max_steps, tolerance : int, float
        Maximum number of EM steps; a start ends when its objective increases by less than this share.
    smoothing : float, the count that the prior adds to every start, transition and word of a state.
    n_words, vocabulary :
        The number of words, or the words themselves; by default what the documents in `fit` use: a word number is then
        the column of the word, or, once numbers are above a million, those that occur are the columns
        (``word_numbers_``). Words beyond them, and −1, are not observed.
    n_jobs, random_state, verbose : threads (the result is the same for any number); the seed; show progress.

    Attributes
    ----------
    initial_, transition_, emission_ : ndarray of shape (n_states,), (n_states, n_states), (n_states, n_words)
        π, A and B; rows sum to one.
    objective_ : ndarray of shape (n_steps,), the log posterior, up to a constant, before every step of the start kept.
    restarts_ : ndarray of shape (n_restarts,), the same before the last step of every start.

    Examples
    --------
    >>> documents = [[0, 1, 0, 1, 2, 3, 2, 3], [1, 0, 1, 3, 2, 3], [0, 0, 1, 2, 2, 3]] * 5
    >>> model = HiddenMarkovModel(n_states=2, random_state=0).fit(documents)
    >>> [int(state) for state in model.predict([[0, 1, 0, 3, 2]])[0] != model.predict([[0]])[0]]
    [0, 0, 0, 1, 1]
    """

    _state_layout: ClassVar[Layout | None] = {
        "n_words_": Number("words", least=1),
        "word_numbers_": Optional(Array("words", kind="i8", least=0, ordered=True)),
        "initial_": Array("states", kind="f8", least=0),
        "transition_": Array("states", "states", kind="f8", least=0),
        "emission_": Array("states", "words", kind="f8", least=0),
        "objective_": Array(None),
        "restarts_": Array(None),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        **{n: [Interval(numbers.Integral, 1, None, closed="left")] for n in ("n_states", "n_restarts", "max_steps")},
        "tolerance": [Interval(numbers.Real, 0, None, closed="left")],
        "smoothing": [Interval(numbers.Real, 0, None, closed="neither")],
        "n_words": [None, Interval(numbers.Integral, 1, None, closed="left")],
        "vocabulary": "no_validation",
        "n_jobs": [None, numbers.Integral],
        "random_state": "no_validation",
        "verbose": ["verbose"],
    }

    def _state_sizes(self) -> dict[str, int]:
        return {"states": self.n_states}

    def __init__(
        self,
        n_states: int = 5,
        n_restarts: int = 5,
        max_steps: int = 200,
        tolerance: float = 1e-6,
        smoothing: float = 0.01,
        n_words: int | None = None,
        vocabulary: Any = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: bool = False,
    ) -> None:
        self.n_states = n_states
        self.n_restarts = n_restarts
        self.max_steps = max_steps
        self.tolerance = tolerance
        self.smoothing = smoothing
        self.n_words = n_words
        self.vocabulary = vocabulary
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> HiddenMarkovModel:
        """Learn from documents as sequences of word numbers; `y` is ignored."""
        documents = as_sequences(X)
        words = words_of(documents, self.n_words, self.vocabulary)
        if not len(documents) or not words.n_columns:
            raise InvalidInput("no document has a known word; pass at least one, or n_words")
        self.n_words_, self.word_numbers_ = words
        stop, problem = Stop(self.max_steps, SmallRise(self.tolerance)), self._problem(documents)
        with Threads(self.n_jobs) as engine:
            start: dict[str, Any] = {"chains": self.n_restarts, "rng": generator(self.random_state), "engine": engine}
            done = run(BAUM_WELCH, problem, stop=stop, progress="EM", verbose=self.verbose, **start)
        self.initial_, self.transition_, emission = done.result
        self.emission_ = np.ascontiguousarray(emission.T)
        self.restarts_ = np.array([infos[-1].objective for infos in done.infos])
        self.objective_ = np.array([info.objective for info in done.infos[self.restarts_.argmax()]])
        return self

    def predict(self, X: Matrix) -> list[Ints]:
        """Return the most probable states of every document (Viterbi), one array per document."""
        check_is_fitted(self)
        return best_paths(self._parameters, self._problem(as_sequences(X)))

    def score_samples(self, X: Any) -> Floats:
        """Return the log-likelihood of every document."""
        check_is_fitted(self)
        return expected_counts(self._parameters, self._problem(as_sequences(X)), evidence_only=True)[1]

    def score(self, X: Matrix, y: Labels | None = None) -> float:
        """Return the mean log-likelihood, in nats, of a word of the documents."""
        likelihoods, n = self.score_samples(X), int((self._problem(as_sequences(X)).tokens >= 0).sum())
        return float(likelihoods.sum() / n) if n else 0.0

    @property
    def _parameters(self) -> Parameters:
        return Parameters(self.initial_, self.transition_, np.ascontiguousarray(self.emission_.T))

    def _problem(self, documents: TokenSequences) -> Sequences:
        documents = in_columns(documents, self._numbers)
        tokens = np.where(documents.ids < self.n_words_, documents.ids, -1).astype(np.int64)
        return Sequences(tokens, documents.offsets, self.n_states, self.n_words_, self.smoothing)
