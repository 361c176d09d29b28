r"""A hidden Markov model of sequences of words, numbers, counts or shares."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesSequences
from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.base.state_layout import Anything, Array, Each, Layout, Number, Optional, Text
from driftline.base.word_numbers import HasWordNumbers
from driftline.core.arrays import Floats
from driftline.core.errors import InvalidInput, ModelFileError
from driftline.core.randomness import Seed, generator
from driftline.core.results import Results
from driftline.engines.threads import Threads
from driftline.guidance.guide import Guide
from driftline.guidance.tag_rules import rule_table
from driftline.guidance.wish_report import WishReport, reported
from driftline.inference.run import run
from driftline.inference.stopping import Stop
from driftline.sequences.baum_welch import (
    BAUM_WELCH,
    Converged,
    Parameters,
    Sequences,
    best_paths,
    expected_counts,
    state_probabilities,
)
from driftline.sequences.emissions import KINDS
from driftline.sequences.guided_states import decoded, guided_problem, state_reports
from driftline.sequences.sequence_reading import Input, Reading, learn_reading, with_tags
from driftline.sequences.tag_input import Tags, tag_accuracy
from driftline.text.vocabulary import WordList

DEFAULT_STATES = 5
"""Number of states if neither a number nor tags are given."""


class HiddenMarkovModel(HasWordNumbers, TakesSequences, DriftEstimator):
    r"""Infer the hidden states of sequences, step by step: of the words of documents, or of series of numbers.

    A sequence starts in state i with probability :math:`\pi_i`, goes from state i to j with :math:`A_{ij}`, and in
    state i emits an observation o with :math:`B_i(o)` (1). Fitted by EM (Baum-Welch) to the maximum of the posterior;
    of several random starts the best is kept. With tags in `fit` the states are the tags; where all are known, the
    estimate is a count.

    Parameters
    ----------
    n_states : int or None
        The number of states; None means the number of different tags, or 5 without tags.
    emissions : {"categorical", "gaussian", "binomial", "poisson"}
        What states emit: words; numbers or rows of numbers, independent given the state; pairs of a count and a total;
        counts.
    n_restarts : int
        The number of random starts, which run in parallel; one is enough if all tags are known.
    max_steps, tolerance : int, float
        Maximum number of EM steps; a start ends when its objective increases by less than this share.
    smoothing : float
        The number of observations that the prior is worth: for every start, transition and word of a state, or for the
        mean, rate or share of a state, which shrink towards those of all observations.
    guide : Guide, optional
        Wishes about states, which are its topics: their words, pairs of words, their shares of all steps, and rules
        about sequences, such as ``TagRule.at_least(1, ["verb"])``. States then keep their numbers.
    n_words, vocabulary :
        The number of words, or the words themselves; by default what the documents in `fit` use: a word number is then
        the column of the word, or, once numbers are above a million, those that occur are the columns
        (``word_numbers_``). Words beyond them, and −1, are not observed. For words only.
    n_jobs, random_state, verbose : threads (the result is the same for any number); the seed; show progress.

    Attributes
    ----------
    initial_, transition_ : ndarray of shape (n_states,), (n_states, n_states)
        π and A; rows sum to one.
    emission_ : ndarray of shape (n_states, n)
        B: a column per word; means, then variances, of every number; the share; the rate. Without tags, states that do
        not emit words are ordered by the first column.
    classes_ : ndarray of shape (n_states,), or None
        The tag of every state, if there were tags.
    state_names_ : list of str, the names of the states by the guide or the tags, otherwise their numbers.
    guide_report_ : results, what became of every wish of the guide.
    objective_ : ndarray of shape (n_steps,), the log posterior, up to a constant, before every step of the start kept.
    restarts_ : ndarray of shape (n_restarts,), the same before the last step of every start.

    Examples
    --------
    >>> documents = [[0, 1, 0, 1, 2, 3, 2, 3], [1, 0, 1, 3, 2, 3], [0, 0, 1, 2, 2, 3]] * 5
    >>> model = HiddenMarkovModel(n_states=2, random_state=0).fit(documents)
    >>> [int(state) for state in model.predict([[0, 1, 0, 3, 2]])[0] != model.predict([[0]])[0]]
    [0, 0, 0, 1, 1]
    >>> calls = HiddenMarkovModel(2, "poisson", random_state=0).fit([[2, 3, 1, 2, 9, 11, 8, 12, 2, 1]])
    >>> calls.predict([[1, 2, 10, 9]])[0]
    array([0, 0, 1, 1])
    """

    classes_: np.ndarray | None
    _state_layout: ClassVar[Layout | None] = {
        "n_words_": Number("words", least=1),
        "word_numbers_": Optional(Array("words", kind="i8", least=0, ordered=True)),
        "classes_": Optional(Array("states", kind="any")),
        "initial_": Array("states", kind="f8", least=0),
        "transition_": Array("states", "states", kind="f8", least=0),
        "emission_": Array("states", "words", kind="f8"),
        "state_names_": Optional(Each(Text(), "states")),
        "_wish_reports_": Optional(Each(Anything())),
        "objective_": Array(None),
        "restarts_": Array(None),
    }
    _parameter_constraints: ClassVar[Constraints] = {
        **{n: [Interval(numbers.Integral, 1, None, closed="left")] for n in ("n_restarts", "max_steps")},
        "n_states": [None, Interval(numbers.Integral, 1, None, closed="left")],
        "emissions": [StrOptions(set(KINDS))],
        "tolerance": [Interval(numbers.Real, 0, None, closed="left")],
        "smoothing": [Interval(numbers.Real, 0, None, closed="neither")],
        "n_words": [None, Interval(numbers.Integral, 1, None, closed="left")],
        "vocabulary": "no_validation",
        "guide": [None, Guide],
        "n_jobs": [None, numbers.Integral],
        "random_state": "no_validation",
        "verbose": ["verbose"],
    }

    def _state_sizes(self) -> dict[str, int]:
        return {} if self.n_states is None else {"states": self.n_states}

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        if sizes:
            numbers_of = KINDS[self.emissions].n_columns
            if self.emissions == "gaussian" and (
                sizes["words"] % 2 or not (np.split(self.emission_.T, 2)[1] > 0).all()
            ):
                raise ModelFileError("HiddenMarkovModel.emission_ does not end in positive variances; it is damaged")
            if numbers_of and sizes["words"] != 1:
                raise ModelFileError("HiddenMarkovModel.emission_ has more than one number per state; it is damaged")
            if self.emissions != "gaussian" and (self.emission_ < 0).any():
                raise ModelFileError("HiddenMarkovModel.emission_ contains a negative number; it is damaged")
        return sizes

    def __init__(
        self,
        n_states: int | None = None,
        emissions: str = "categorical",
        n_restarts: int = 5,
        max_steps: int = 200,
        tolerance: float = 1e-6,
        smoothing: float = 0.01,
        n_words: int | None = None,
        vocabulary: WordList | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: bool = False,
        guide: Guide | None = None,
    ) -> None:
        self.n_states = n_states
        self.emissions = emissions
        self.n_restarts = n_restarts
        self.max_steps = max_steps
        self.tolerance = tolerance
        self.smoothing = smoothing
        self.n_words = n_words
        self.vocabulary = vocabulary
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.guide = guide

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Input, y: Tags | None = None) -> HiddenMarkovModel:
        """Learn from sequences: of word numbers, or of what `emissions` says.

        `y` has one list of tags per sequence: strings, or the numbers of states. A tag of −1 or None is not known, and
        so is every tag of a sequence for which None stands.
        """
        reading = learn_reading(X, self.emissions, self.n_words, self.vocabulary, self.smoothing)
        self.n_words_, self.word_numbers_, self.classes_ = reading.n_numbers, reading.word_numbers, None
        problem = reading.problem(X, self.n_states or DEFAULT_STATES)
        if y is not None:
            problem, self.classes_ = with_tags(problem, y, self.n_states)
        problem = problem.prepared()
        guided = None
        if self.guide:
            if reading.word_numbers is not None:
                raise InvalidInput("a guide needs word numbers up to a million, or vocabulary=")
            guided = guided_problem(self.guide, problem, self.vocabulary, self.classes_)
            problem = guided.problem
        n_restarts, max_steps = self.n_restarts, self.max_steps
        if len(problem.known) and (problem.known >= 0).all():
            n_restarts, max_steps = 1, 2  # a count, whatever the start
        stop = Stop(max_steps, Converged(self.tolerance))
        with Threads(self.n_jobs) as engine:
            start: dict[str, Any] = {"chains": n_restarts, "rng": generator(self.random_state), "engine": engine}
            done = run(BAUM_WELCH, problem, stop=stop, progress="EM", verbose=self.verbose, **start)
        order = np.arange(problem.n_states)
        if self.emissions != "categorical" and self.classes_ is None and guided is None:
            order = np.argsort(done.result.emission[0], kind="stable")
        self.initial_, self.transition_ = done.result.initial[order], done.result.transition[np.ix_(order, order)]
        self.emission_ = np.ascontiguousarray(done.result.emission.T[order])
        self.restarts_ = np.array([infos[-1].objective for infos in done.infos])
        self.objective_ = np.array([info.objective for info in done.infos[self.restarts_.argmax()]])
        tags = range(problem.n_states) if self.classes_ is None else self.classes_
        self.state_names_ = [str(tag) for tag in (tags if guided is None else guided.arrays.names)]
        self._wish_reports_ = [] if guided is None else state_reports(guided, self._parameters)
        return self

    @property
    def guide_report_(self) -> Results[WishReport]:
        """What became of every wish of the guide; empty without one."""
        return reported(getattr(self, "_wish_reports_", []))

    def predict(self, X: Input) -> list[np.ndarray]:
        """Return the most probable states of every sequence (Viterbi), or their tags: one array per sequence.

        Under the rules of a guide, if it has some.
        """
        check_is_fitted(self)
        rules = self.guide.rules if self.guide else ()
        if rules:
            paths = decoded(self._parameters, self._problem(X), rule_table(rules, self.state_names_))
        else:
            paths = best_paths(self._parameters, self._problem(X))
        tags = getattr(self, "classes_", None)
        return list(paths) if tags is None else [tags[path] for path in paths]

    def predict_marginals(self, X: Input) -> list[Floats]:
        """Return p(state | sequence), steps × states, for every sequence."""
        check_is_fitted(self)
        return state_probabilities(self._parameters, self._problem(X))

    def score_samples(self, X: Input) -> Floats:
        """Return the log-likelihood of every sequence."""
        check_is_fitted(self)
        return expected_counts(self._parameters, self._problem(X), evidence_only=True)[1]

    def score(self, X: Input, y: Tags | None = None) -> float:
        """Return the mean log-likelihood, in nats, of an observation; with tags, the share that is predicted."""
        if y is not None:
            return tag_accuracy(self.predict(X), y)
        likelihoods, n = self.score_samples(X), int((self._problem(X).rows >= 0).sum())
        return float(likelihoods.sum() / n) if n else 0.0

    @property
    def _parameters(self) -> Parameters:
        return Parameters(self.initial_, self.transition_, np.ascontiguousarray(self.emission_.T))

    def _problem(self, X: Input) -> Sequences:
        reading = Reading(self.emissions, self.n_words_, self._numbers, self.smoothing)
        return reading.problem(X, len(self.initial_))
