"""Base of the topic models of linked documents and of documents in contexts: common parameters, state and EM."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from driftline.base.sklearn_private import Constraints, Interval
from driftline.base.state_layout import COLUMNS, Array, Layout, Number
from driftline.base.topic_model import TopicModel
from driftline.core.arrays import Floats
from driftline.core.randomness import Seed
from driftline.inference.em import EM
from driftline.inference.run import run
from driftline.inference.stopping import Stop
from driftline.text.vocabulary import WordList

EM_PARAMETERS: Constraints = {
    "n_topics": [Interval(numbers.Integral, 1, None, closed="left")],
    "max_steps": [Interval(numbers.Integral, 1, None, closed="left")],
    "tolerance": [Interval(numbers.Real, 0, None, closed="left")],
    "smoothing": [Interval(numbers.Real, 0, None, closed="neither")],
    "n_jobs": [None, numbers.Integral],
    "vocabulary": "no_validation",
    "random_state": "no_validation",
    "verbose": ["verbose"],
}
"""Constraints of the parameters that these models have in common."""
EM_STATE: Layout = {
    **COLUMNS,
    "components_": Array("topics", "words", least=0),
    "document_shares_": Array("documents", "topics", least=0),
    "doc_topic_prior_": Array("topics", least=0),
    "objective_": Array(None, finite=False),
    "n_steps_": Number(least=0, whole=True),
}
"""State that these models have in common."""


class EmTopics(TopicModel):
    """Base of models that are fitted by EM and keep the topic shares of the fitted documents."""

    document_shares_: Floats

    def __init__(
        self,
        n_topics: int,
        max_steps: int,
        tolerance: float,
        smoothing: float,
        n_jobs: int | None,
        vocabulary: WordList | None,
        random_state: Seed,
        verbose: bool,
    ) -> None:
        self.n_topics = n_topics
        self.max_steps = max_steps
        self.tolerance = tolerance
        self.smoothing = smoothing
        self.n_jobs = n_jobs
        self.vocabulary = vocabulary
        self.random_state = random_state
        self.verbose = verbose

    def _run_em(self, method: EM[Any, Any, Any], problem: object, rule: Any, rng: np.random.Generator) -> Any:
        """Fit by EM until `rule` reports convergence; store the objective of every step, and return the parameters."""
        stop = Stop(self.max_steps, rule)
        done = run(method, problem, stop=stop, rng=rng, progress="EM", verbose=self.verbose)
        self.doc_topic_prior_ = np.zeros(self.n_topics)
        self.objective_, self.n_steps_ = done.objective[0], int(done.n_steps[0])
        return done.result
