r"""A hidden Markov model of sequences of words, numbers, counts or shares."""

from __future__ import annotations

import numbers
from typing import ClassVar

import numpy as np

from driftline.base.sklearn_private import Constraints, Interval, StrOptions, fit_context
from driftline.core.randomness import Seed, generator
from driftline.engines.threads import Threads
from driftline.guidance.guide import Guide
from driftline.inference.stopping import Stop
from driftline.sequences.baum_welch import Converged, estimate
from driftline.sequences.emissions import KINDS
from driftline.sequences.fitted_states import FittedStates
from driftline.sequences.guided_states import guided_problem, state_reports
from driftline.sequences.sequence_reading import Input, learn_reading, with_tags
from driftline.sequences.tag_input import Tags
from driftline.text.vocabulary import WordList

DEFAULT_STATES = 5
"""Number of states if neither a number nor tags are given."""


class HiddenMarkovModel(FittedStates):
    r"""Infer the hidden state of every step of sequences: the words of documents, or series of numbers.

    A sequence starts in state i with probability :math:`\pi_i`, changes from state i to j with probability
    :math:`A_{ij}`, and emits observation o in state i with probability :math:`B_i(o)` (1). The posterior is maximised
    by EM (Baum-Welch), and the best of several random starts is kept. With tags in `fit`, the states are the tags; if
    all are known, the estimate is a count.

    Parameters
    ----------
    n_states : int or None
        The number of states; None means the number of distinct tags, or 5 without tags.
    emissions : {"categorical", "gaussian", "binomial", "poisson"}
        What states emit: words; rows of numbers, independent given the state; pairs of a count and a total; counts.
    n_restarts : int
        The number of random starts, which run in parallel; one is enough if all tags are known.
    max_steps, tolerance : int, float
        Maximum number of EM steps, and the relative increase of the objective below which a start stops.
    smoothing : float
        The weight of the prior, in observations: for every start, transition and word of a state, or for the mean, rate
        or share of a state, which shrink towards those of all observations.
    guide : Guide, optional
        Wishes about states, which are its topics: their words, pairs of words, their shares of all steps, and rules
        about sequences, such as ``TagRule.at_least(1, ["verb"])``. States then keep their numbers.
    n_words, vocabulary :
        The number of words, or the words themselves; by default those that the documents in `fit` use: a word number is
        then the column of the word, or, if numbers exceed a million, only those that occur have columns
        (``word_numbers_``). Other words, and −1, count as not observed. For words only.
    n_jobs, random_state, verbose : number of threads, which does not affect the result; the seed; show progress.

    Attributes
    ----------
    initial_, transition_ : ndarray of shape (n_states,), (n_states, n_states)
        π and A; rows sum to one.
    emission_ : ndarray of shape (n_states, n)
        B: a column per word; means, then variances, of every number; the share; the rate. Without tags, states that do
        not emit words are ordered by the first column.
    classes_ : ndarray of shape (n_states,), the tag of every state; None if there were no tags.
    state_names_ : list of str, the names of the states from the guide or the tags, otherwise their numbers.
    guide_report_ : results, the outcome of every wish of the guide.
    objective_ : ndarray of shape (n_steps,), the log posterior, up to a constant, before every step of the kept start.
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

    _parameter_constraints: ClassVar[Constraints] = {
        **{n: [Interval(numbers.Integral, 1, None, closed="left")] for n in ("n_restarts", "max_steps")},
        **{n: [None, Interval(numbers.Integral, 1, None, closed="left")] for n in ("n_states", "n_words")},
        **dict.fromkeys(("vocabulary", "random_state"), "no_validation"),
        "emissions": [StrOptions(set(KINDS))],
        "tolerance": [Interval(numbers.Real, 0, None, closed="left")],
        "smoothing": [Interval(numbers.Real, 0, None, closed="neither")],
        "guide": [None, Guide],
        "n_jobs": [None, numbers.Integral],
        "verbose": ["verbose"],
    }

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
        """Learn from sequences of word numbers, or of observations of the kind `emissions`.

        `y` contains one list of tags per sequence: strings, or the numbers of states. A tag of −1 or None is unknown,
        and None in place of a sequence's tags means that all are unknown.
        """
        reading = learn_reading(X, self.emissions, self.n_words, self.vocabulary, self.smoothing)
        self.n_words_, self.word_numbers_, self.classes_ = reading.n_numbers, reading.word_numbers, None
        problem = reading.problem(X, self.n_states or DEFAULT_STATES)
        if y is not None:
            problem, self.classes_ = with_tags(problem, y, self.n_states)
        problem = problem.prepared()
        guided = None
        if self.guide:
            guided = guided_problem(self.guide, problem, self.vocabulary, self.classes_, reading.word_numbers)
            problem = guided.problem
        numbered = self.classes_ is not None or guided is not None
        with Threads(self.n_jobs) as engine:
            rng, stop = generator(self.random_state), Stop(self.max_steps, Converged(self.tolerance))
            found = estimate(problem, stop, self.n_restarts, rng, engine, ordered=not numbered, verbose=self.verbose)
        self.initial_, self.transition_ = found.parameters.initial, found.parameters.transition
        self.emission_ = np.ascontiguousarray(found.parameters.emission.T)
        self.objective_, self.restarts_ = found.objective, found.restarts
        tags = range(problem.n_states) if self.classes_ is None else self.classes_
        self.state_names_ = [str(tag) for tag in (tags if guided is None else guided.arrays.names)]
        self._wish_reports_ = [] if guided is None else state_reports(guided, self._parameters)
        return self
