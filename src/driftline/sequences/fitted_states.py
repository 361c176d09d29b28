"""The learned state of a hidden Markov model, and its predictions about sequences."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from driftline.base.estimator import DriftEstimator
from driftline.base.input_kinds import TakesSequences
from driftline.base.state_layout import Anything, Array, Each, Layout, Number, Optional, Text
from driftline.base.word_numbers import HasWordNumbers
from driftline.core.arrays import Floats
from driftline.core.errors import ModelFileError
from driftline.core.results import Results
from driftline.guidance.guide import Guide
from driftline.guidance.tag_rules import rule_table
from driftline.guidance.wish_report import WishReport, reported
from driftline.sequences.baum_welch import Parameters, Sequences, best_paths, expected_counts, state_probabilities
from driftline.sequences.emissions import damage
from driftline.sequences.guided_states import decoded
from driftline.sequences.sequence_reading import Input, Reading
from driftline.sequences.tag_input import Tags, tag_accuracy


class FittedStates(HasWordNumbers, TakesSequences, DriftEstimator):
    """The learned half of `driftline.sequences.hidden_markov_model.HiddenMarkovModel`: its state and predictions."""

    n_states: int | None
    emissions: str
    smoothing: float
    guide: Guide | None
    n_words_: int
    initial_: Floats
    transition_: Floats
    emission_: Floats
    state_names_: list[str]
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

    def _state_sizes(self) -> dict[str, int]:
        return {} if self.n_states is None else {"states": self.n_states}

    def _check_state(self) -> dict[str, int]:
        sizes = super()._check_state()
        fault = damage(self.emissions, self.emission_) if sizes else None
        if fault:
            raise ModelFileError(f"HiddenMarkovModel.emission_ {fault}; it is damaged")
        return sizes

    @property
    def guide_report_(self) -> Results[WishReport]:
        """The outcome of every wish of the guide; empty without a guide."""
        return reported(getattr(self, "_wish_reports_", []))

    def predict(self, X: Input) -> list[np.ndarray]:
        """Return the most probable states of every sequence (Viterbi), or their tags: one array per sequence.

        The rules of a guide, if it has any, are applied.
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
        """Return the mean log-likelihood, in nats, of an observation; with tags, the share of correct ones."""
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
