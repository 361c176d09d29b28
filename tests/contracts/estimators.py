"""Every estimator of driftline, each with what it promises: append one line and the contract tests do the rest.

A line gives the import path of the class, the parameters of a small and quick instance, the kind of data it learns from
(see `tests.contracts.samples`), and what else it promises::

    Contract("driftline.local.LocalMultinomial", {"bandwidth": 3.0}, ask=("probabilities",)),
    Contract("driftline.local.LocalNaiveBayes", {"bandwidth": 3.0}, data="labels", parts=True),

The same class may appear more than once, with other parameters.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Contract:
    """One estimator and what it promises.

    `data` is the kind of data: "counts", "labels" (counts with some labels), "sequences", "log-likelihoods" or "times".
    `ask` names methods, beyond scikit-learn's, that take times and answer with arrays: they are compared as well.
    `parts` promises that `partial_fit` on consecutive parts gives what `fit` gives on the whole.
    `fails` names the scikit-learn checks that cannot hold, each with the reason; one that passes after all is an error.
    """

    path: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    data: str = "counts"
    ask: tuple[str, ...] = ()
    parts: bool = False
    fails: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How the tests call it: the class and its parameters."""
        settings = ", ".join(f"{key}={value!r}" for key, value in self.parameters.items())
        return f"{self.path.rpartition('.')[2]}({settings})"

    def make(self) -> Any:
        """Return a fresh, unfitted instance."""
        module, _, name = self.path.rpartition(".")
        return getattr(importlib.import_module(module), name)(**self.parameters)


BY_ORDER = dict.fromkeys(
    ("check_methods_sample_order_invariance", "check_methods_subset_invariance"),
    "without times a document's place is its time, so other places give other answers",
)
"""For models of time that score documents."""

MINUS_ONE = "the label -1 means unlabelled, as in scikit-learn's own semi-supervised classifiers, which are let off"
FEW_LABELS = {
    "check_classifiers_classes": MINUS_ONE,
    "check_decision_proba_consistency": "the check's points have negative coordinates, which counts cannot have",
}
"""For the classifiers of streams in which few documents are labelled."""

ESTIMATORS = [
    Contract("tests.contracts.toy.RecentShares", {"random_state": 3}, ask=("shares_at",), parts=True),
    Contract("driftline.local.LocalMultinomial", ask=("probabilities",), fails=BY_ORDER),
    Contract(
        "driftline.local.LocalMultinomial",
        {"bandwidth": 3.0, "strength": 10.0},
        ask=("probabilities",),
        parts=True,
        fails=BY_ORDER,
    ),
    Contract(
        "driftline.local.LocalMultinomial",
        {"side": "past"},
        ask=("probabilities",),
        fails=BY_ORDER,
    ),
    Contract("driftline.local.LocalMultinomial", {"bandwidth": "cv"}, ask=("probabilities",)),
    Contract(
        "driftline.local.LocalMultinomial",
        {"bandwidth": 3.0, "strength": 10.0, "side": "past", "memory": 4.0},
        fails=BY_ORDER,
    ),
    Contract("driftline.local.LocalLogisticRegression", {"C": "cv"}, data="labels"),
    Contract(
        "driftline.local.LocalLogisticRegression",
        {"bandwidth": 3.0},
        data="labels",
        ask=("coefficients", "intercepts"),
        fails=BY_ORDER,
    ),
    Contract(
        "driftline.local.LocalLogisticRegression",
        {"bandwidth": 30.0, "side": "past", "penalty": "l1", "center": "zero"},
        data="labels",
        ask=("coefficients",),
        fails=BY_ORDER,
    ),
    Contract(
        "driftline.local.LocalNaiveBayes",
        {"bandwidth": 3.0, "strength": 10.0},
        data="labels",
        ask=("class_shares",),
        parts=True,
        fails=BY_ORDER,
    ),
    Contract("driftline.local.LocalNaiveBayes", {"side": "past"}, data="labels", fails=BY_ORDER),
    Contract(
        "driftline.local.LocalNGram",
        {"bandwidth": 3.0, "background": 0.1},
        data="sequences",
        parts=True,
    ),
    Contract("driftline.local.LocalNGram", {"side": "past"}, data="sequences"),
    Contract("driftline.intensity.BurstAutomaton", data="times"),
    Contract("driftline.intensity.IntensityClassifier", data="labels"),
    Contract(
        "driftline.intensity.IntensityClassifier",
        {"methods": ("tracker", "chain", "neighbours")},
        data="labels",
        fails=BY_ORDER,
    ),
    Contract(
        "driftline.intensity.IntensityClassifier",
        {"refit": True, "methods": "tracker", "inference": "ep"},
        data="labels",
        fails=BY_ORDER,
    ),
    Contract("driftline.intensity.IntensityWatcher", data="labels"),
    Contract("driftline.intensity.WordBursts", {"every": 1.0, "min_documents": 2}),
    Contract("driftline.intensity.TopicDriftTracker", {"n_topics": 2, "random_state": 3}),
    Contract(
        "driftline.intensity.TopicDriftTracker",
        {"n_topics": 2, "inference": "structured", "drift_with_time": True, "random_state": 3},
    ),
    Contract("driftline.intensity.IntensityTracker", data="log-likelihoods"),
    Contract(
        "driftline.intensity.IntensityTracker",
        {"inference": "ep", "continuous": True},
        data="log-likelihoods",
    ),
    Contract(
        "driftline.intensity.IntensityTracker",
        {"inference": "gibbs", "n_samples": 8, "random_state": 3},
        data="log-likelihoods",
    ),
    Contract("driftline.topics.lda.LDA", {"n_topics": 3, "max_epochs": 3, "random_state": 3}),
    Contract(
        "driftline.topics.lda.LDA",
        {"n_topics": 3, "inference": "gibbs", "max_epochs": 3, "burn_in": 2, "n_samples": 3, "random_state": 3},
    ),
    Contract(
        "driftline.topics.lda.LDA",
        {"n_topics": 3, "inference": "vb", "max_epochs": 3, "doc_topic_prior": "learned", "random_state": 3},
    ),
    Contract("driftline.topics.plsa.PLSA", {"n_topics": 3, "max_steps": 5, "random_state": 3}),
    Contract(
        "driftline.topics.mixture_of_unigrams.MixtureOfUnigrams", {"n_topics": 3, "random_state": 3}, data="labels"
    ),
    Contract(
        "driftline.nonparametric.dirichlet_process_mixture.DirichletProcessMixture",
        {"burn_in": 3, "n_samples": 5, "random_state": 3},
    ),
    Contract(
        "driftline.nonparametric.dirichlet_process_mixture.DirichletProcessMixture",
        {"inference": "variational", "max_steps": 5, "random_state": 3},
    ),
    Contract("driftline.graphs.linked_classifier.LinkedClassifier", data="labels"),
    Contract(
        "driftline.graphs.linked_classifier.LinkedClassifier", {"coupling": 1.0, "text_weight": 0.5}, data="labels"
    ),
    Contract(
        "driftline.sequences.hidden_markov_model.HiddenMarkovModel",
        {"n_states": 3, "n_restarts": 2, "max_steps": 5, "random_state": 3},
        data="sequences",
    ),
    Contract(
        "driftline.coding.local_context.LocalContextSparseCoding", {"n_topics": 4, "random_state": 3}, data="sequences"
    ),
    Contract(
        "driftline.coding.local_context.LocalContextSparseCoding",
        {"n_topics": 4, "loss": "hellinger", "learning": "mini-batch", "batch_size": 8, "random_state": 3},
        data="sequences",
    ),
    Contract(
        "driftline.coding.local_context.LocalContextSparseCoding",
        {"n_topics": 4, "learning": "mini-batch", "batch_size": 8, "rho": 0.1, "weighting": "idf", "random_state": 3},
        data="sequences",
    ),
    Contract("driftline.coding.lowbow.LocallyWeightedBagOfWords", {"positions": 3, "n_words": 12}, data="sequences"),
    Contract("driftline.coding.sparse_topical.SparseTopicalCoding", {"n_topics": 3, "max_iter": 5, "random_state": 3}),
    Contract(
        "driftline.evolving.EvolutionaryClassifier",
        {"keep_history": True},
        data="labels",
        fails=FEW_LABELS,
    ),
    Contract(
        "driftline.evolving.EvolutionaryClassifier",
        {"method": "paper", "form": "dual", "loss": "logistic", "keep_history": True},
        data="labels",
        fails=FEW_LABELS,
    ),
    Contract(
        "driftline.evolving.ManifoldClassifier",
        {"loss": "logistic", "weighting": None, "keep_history": True},
        data="labels",
        fails={"check_classifiers_classes": MINUS_ONE},
    ),
    Contract(
        "driftline.evolving.TwoFrameClassifier",
        {"keep_history": True},
        data="labels",
        fails=FEW_LABELS,
    ),
    Contract(
        "driftline.evolving.EvolutionarySmoother",
        {"kernel": "rbf", "loss": "logistic"},
        data="labels",
        fails={"check_classifiers_classes": MINUS_ONE},
    ),
]
