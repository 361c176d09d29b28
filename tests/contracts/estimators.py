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

from driftline.guidance import Guide, TagRule


@dataclass(frozen=True)
class Contract:
    """One estimator and what it promises.

    `data` is the kind of data: "counts", "labels" (counts with some labels), "sequences", "tags" (sentences
    with a tag per word), "log-likelihoods", "series" (a count per step) or "times".
    `ask` names methods, beyond scikit-learn's, that take times and answer with arrays: they are compared as well.
    `parts` promises that `partial_fit` on consecutive parts gives what `fit` gives on the whole.
    `untimed` names the methods that warn of no missing times, because what they learn does not depend on them.
    `fails` names the scikit-learn checks that cannot hold, each with the reason; one that passes after all is an error.
    """

    path: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    data: str = "counts"
    ask: tuple[str, ...] = ()
    parts: bool = False
    untimed: tuple[str, ...] = ()
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


FRAMES = ("fit", "partial_fit")
"""For models of frames: without `every`, the documents of a call are one frame."""

LATE = {"reorder_within": 100.0}
"""For models of arriving documents, which the harness repeats."""

BY_ORDER = dict.fromkeys(
    ("check_methods_sample_order_invariance", "check_methods_subset_invariance"),
    "without times a document's place is its time, so other places give other answers",
)
"""For models of time that score documents."""

MINUS_ONE = "the label -1 means unlabelled, as in scikit-learn's own semi-supervised classifiers, which are let off"
FEW_LABELS = {"check_classifiers_classes": MINUS_ONE}
"""For the classifiers of streams in which few documents are labelled."""

WHOLE_COUNTS = dict.fromkeys(
    (
        "check_fit_score_takes_y",
        "check_estimators_overwrite_params",
        "check_dont_overwrite_parameters",
        "check_estimators_fit_returns_self",
        "check_readonly_memmap_input",
        "check_n_features_in_after_fitting",
        "check_estimators_dtypes",
        "check_dtype_object",
        "check_pipeline_consistency",
        "check_estimators_nan_inf",
        "check_estimator_sparse_tag",
        "check_estimator_sparse_array",
        "check_estimator_sparse_matrix",
        "check_estimators_pickle",
        "check_f_contiguous_array_estimator",
        "check_transformer_data_not_an_array",
        "check_transformer_general",
        "check_transformer_preserve_dtypes",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_fit2d_1sample",
        "check_fit2d_1feature",
        "check_dict_unchanged",
        "check_fit_idempotent",
        "check_fit_check_is_fitted",
        "check_n_features_in",
        "check_fit2d_predict1d",
    ),
    "every token gets a topic, so fractions are refused, and the check's documents consist of fractions",
)
"""For samplers of tokens."""

RULES = Guide().rule(TagRule.bio()).rule(TagRule.at_most(2, ["B-N"], cost="learned"))
"""Rules for sentences with names."""

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
    Contract("driftline.local.ForwardClassifier", data="labels"),
    Contract("driftline.local.ForwardClassifier", {"candidates": ["all", "documents"], "C": 1.0}, data="labels"),
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
        untimed=("fit",),
    ),
    Contract(
        "driftline.intensity.IntensityClassifier",
        {"refit": True, "methods": "tracker", "inference": "ep"},
        data="labels",
        fails=BY_ORDER,
        untimed=("fit",),
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
    Contract("driftline.topics.topic_map.TopicMap", {"n_topics": 3, "random_state": 3}, untimed=("fit",)),
    Contract(
        "driftline.topics.topic_map.TopicMap", {"n_topics": 3, "model": "lda", "random_state": 3}, untimed=("fit",)
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
    Contract("driftline.topics.NetworkTopics", {"n_topics": 3, "max_steps": 5, "random_state": 3}),
    Contract("driftline.topics.NetworkPLSA", {"n_topics": 3, "max_steps": 5, "random_state": 3}),
    Contract(
        "driftline.topics.TopicSentiment",
        {"n_topics": 2, "positive": [0], "negative": [1], "polarity": "learned", "max_steps": 5, "random_state": 3},
        fails={"check_fit2d_1feature": "a positive and a negative word are two columns"},
    ),
    Contract("driftline.topics.ComparativeTopics", {"n_topics": 3, "max_steps": 5, "random_state": 3}, data="labels"),
    Contract("driftline.topics.ContextualTopics", {"n_topics": 3, "max_steps": 5, "random_state": 3}, data="labels"),
    Contract(
        "driftline.nonparametric.dirichlet_process_mixture.DirichletProcessMixture",
        {"burn_in": 3, "n_samples": 5, "random_state": 3},
    ),
    Contract(
        "driftline.nonparametric.dirichlet_process_mixture.DirichletProcessMixture",
        {"inference": "variational", "max_steps": 5, "random_state": 3},
    ),
    Contract(
        "driftline.nonparametric.dirichlet_process_mixture.DirichletProcessMixture",
        {"word_prior": "learned", "discount": 0.2, "burn_in": 3, "n_samples": 5, "random_state": 3},
    ),
    Contract(
        "driftline.nonparametric.dirichlet_process_mixture.DirichletProcessMixture",
        {"family": "gaussian", "inference": "auxiliary", "burn_in": 2, "n_samples": 2, "random_state": 3},
    ),
    Contract(
        "driftline.nonparametric.dirichlet_process_mixture.DirichletProcessMixture",
        {"inference": "dp-means", "random_state": 3},
    ),
    Contract(
        "driftline.nonparametric.hdp.HDP",
        {"start": 4, "burn_in": 5, "n_samples": 3, "random_state": 3},
        fails=WHOLE_COUNTS,
    ),
    Contract(
        "driftline.nonparametric.temporal.time_sensitive_dpm.TimeSensitiveDPM",
        {"burn_in": 3, "n_samples": 5, "random_state": 3},
        fails=BY_ORDER,
    ),
    Contract(
        "driftline.nonparametric.temporal.time_sensitive_dpm.TimeSensitiveDPM",
        {"timescale": 2.0, "word_prior": "learned", "every": 2.5, "burn_in": 3, "n_samples": 5, "random_state": 3},
        fails=BY_ORDER,
    ),
    Contract(
        "driftline.nonparametric.temporal.temporal_dpm.TemporalDPM",
        {"every": 4, "burn_in": 3, "n_samples": 5, "random_state": 3},
        fails=BY_ORDER,
    ),
    Contract(
        "driftline.nonparametric.temporal.temporal_dpm.TemporalDPM",
        {"window": 2, "word_timescale": 1.5, "word_prior": "learned", "burn_in": 3, "n_samples": 5, "random_state": 3},
        fails=BY_ORDER,
    ),
    Contract(
        "driftline.nonparametric.trees.hierarchical_lda.HierarchicalLDA",
        {"burn_in": 3, "n_samples": 3, "random_state": 3},
        fails=WHOLE_COUNTS,
    ),
    Contract(
        "driftline.nonparametric.ngrams.hpylm.HPYLM",
        {"burn_in": 2, "n_samples": 2, "random_state": 3},
        data="sequences",
    ),
    Contract("driftline.nonparametric.ngrams.hpylm.HPYLM", {"order": 2, "smoothing": "mkn"}, data="sequences"),
    Contract("driftline.nonparametric.features.hierarchical_beta_process.HierarchicalBetaProcess", data="labels"),
    Contract(
        "driftline.nonparametric.features.indian_buffet.IndianBuffet",
        {"burn_in": 12, "n_samples": 3, "n_chains": 2, "random_state": 3},
    ),
    Contract(
        "driftline.nonparametric.temporal.infinite_dynamic_topics.InfiniteDynamicTopics",
        {"every": 2, "start": 3, "burn_in": 3, "n_samples": 3, "random_state": 3},
        fails=WHOLE_COUNTS,
    ),
    Contract(
        "driftline.nonparametric.temporal.evolutionary_hdp.EvolutionaryHDP",
        {"every": 2, "start": 3, "burn_in": 3, "n_samples": 3, "random_state": 3},
        fails=WHOLE_COUNTS,
    ),
    Contract("driftline.nonparametric.StoryStream", {"memory": 5.0, **LATE, "random_state": 3}, parts=True),
    Contract(
        "driftline.nonparametric.StoryStream",
        {"link": "crp", "concentration": 1.0, **LATE, "random_state": 3},
        parts=True,
    ),
    Contract(
        "driftline.nonparametric.StoryStream", {"max_live": 2, "min_size": 2, **LATE, "random_state": 3}, parts=True
    ),
    Contract(
        "driftline.nonparametric.DenStream",
        {"radius": 3.0, "min_weight": 4.0, "outlier_share": 0.5, **LATE},
        parts=True,
    ),
    Contract(
        "driftline.nonparametric.CluStream",
        {"n_clusters": 2, "n_micro_clusters": 6, **LATE, "random_state": 3},
        parts=True,
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
        "driftline.sequences.hidden_markov_model.HiddenMarkovModel",
        {"n_states": None, "n_restarts": 2, "max_steps": 5, "emissions": "poisson", "random_state": 3},
        data="sequences",
    ),
    Contract(
        "driftline.sequences.hidden_markov_model.HiddenMarkovModel",
        {"n_states": 2, "n_restarts": 2, "max_steps": 5, "emissions": "gaussian", "random_state": 3},
        data="sequences",
    ),
    Contract("driftline.sequences.hidden_markov_tagger.HiddenMarkovTagger", data="tags"),
    Contract("driftline.sequences.name_finder.NameFinder", data="tags"),
    Contract("driftline.sequences.regimes.Regimes", data="series"),
    Contract("driftline.sequences.regimes.Regimes", {"n_regimes": 2, "stay": 0.9}, data="series"),
    Contract("driftline.sequences.crf.CRF", {"max_iter": 5, "forbidden": "bio"}, data="tags"),
    Contract("driftline.sequences.crf.CRF", {"max_iter": 5, "l1": 0.1}, data="tags"),
    Contract(
        "driftline.sequences.crf.CRF",
        {"features": "names", "solver": "sgd", "epochs": 3, "random_state": 3},
        data="tags",
    ),
    Contract("driftline.sequences.ConstrainedTagger", {"max_iter": 5, "guide": RULES}, data="tags"),
    Contract(
        "driftline.sequences.ConstrainedTagger",
        {"training": "joint", "chain": False, "epochs": 2, "guide": RULES, "random_state": 3},
        data="tags",
    ),
    Contract("driftline.sequences.local_crf.LocalCRF", {"bandwidth": 20.0, "n_fits": 3, "max_iter": 5}, data="tags"),
    Contract(
        "driftline.sequences.local_crf.LocalCRF",
        {"side": "both", "n_fits": 2, "n_splits": 2, "solver": "sgd", "epochs": 3, "random_state": 3},
        data="tags",
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
        untimed=FRAMES,
    ),
    Contract(
        "driftline.evolving.EvolutionaryClassifier",
        {"method": "paper", "form": "dual", "loss": "logistic", "keep_history": True},
        data="labels",
        fails=FEW_LABELS,
        untimed=FRAMES,
    ),
    Contract(
        "driftline.evolving.ManifoldClassifier",
        {"loss": "logistic", "weighting": None, "keep_history": True},
        data="labels",
        fails={"check_classifiers_classes": MINUS_ONE},
        untimed=FRAMES,
    ),
    Contract(
        "driftline.evolving.TwoFrameClassifier",
        {"keep_history": True},
        data="labels",
        fails=FEW_LABELS,
        untimed=FRAMES,
    ),
    Contract(
        "driftline.evolving.EvolutionarySmoother",
        {"kernel": "rbf", "loss": "logistic"},
        data="labels",
        fails={"check_classifiers_classes": MINUS_ONE},
        untimed=FRAMES,
    ),
]
