"""Public names of the classes that a saved model may contain, and the current module of each.

A model on disk names a class by its public name (``"LDA"``), never by its module, so modules can be renamed without
breaking saved models: when a class moves, only its line here changes. When a class gets another public name, its old
one is added to `FORMER_NAMES`. A public name is never reused for another class.

The table contains strings because persistence is a lower layer than the classes that it names;
`tests/persistence/test_public_names.py` compares it with the code.
"""

from __future__ import annotations

from collections.abc import Mapping

HOMES: Mapping[str, str] = {
    "BayesianNetwork": "driftline.graphs.bayes.bayesian_network:BayesianNetwork",
    "BurstAutomaton": "driftline.intensity.bursts.burst_automaton:BurstAutomaton",
    "CRF": "driftline.sequences.crf:CRF",
    "Calibration": "driftline.evolving.pool.exponent_calibration:Calibration",
    "Chain": "driftline.evolving.paper.paper_method:Chain",
    "CluStream": "driftline.nonparametric.stories.clu_stream:CluStream",
    "ComparativeTopics": "driftline.topics.contexts.comparative_topics:ComparativeTopics",
    "ConstrainedTagger": "driftline.sequences.constrained_tagger:ConstrainedTagger",
    "ContextualTopics": "driftline.topics.contexts.contextual_topics:ContextualTopics",
    "DenStream": "driftline.nonparametric.stories.den_stream:DenStream",
    "DirichletProcessMixture": "driftline.nonparametric.dirichlet_process_mixture:DirichletProcessMixture",
    "EvolutionaryClassifier": "driftline.evolving.estimators.evolutionary_classifier:EvolutionaryClassifier",
    "EvolutionaryHDP": "driftline.nonparametric.temporal.evolutionary_hdp:EvolutionaryHDP",
    "EvolutionarySmoother": "driftline.evolving.estimators.evolutionary_smoother:EvolutionarySmoother",
    "ForwardClassifier": "driftline.local.forward.forward_classifier:ForwardClassifier",
    "FrameLearner": "driftline.labelling.growing_vocabulary:FrameLearner",
    "HDP": "driftline.nonparametric.hdp:HDP",
    "HPYLM": "driftline.nonparametric.ngrams.hpylm:HPYLM",
    "Guide": "driftline.guidance.guide:Guide",
    "HiddenMarkovModel": "driftline.sequences.hidden_markov_model:HiddenMarkovModel",
    "HierarchicalBetaProcess": ("driftline.nonparametric.features.hierarchical_beta_process:HierarchicalBetaProcess"),
    "HiddenMarkovTagger": "driftline.sequences.hidden_markov_tagger:HiddenMarkovTagger",
    "HierarchicalLDA": "driftline.nonparametric.trees.hierarchical_lda:HierarchicalLDA",
    "IndianBuffet": "driftline.nonparametric.features.indian_buffet:IndianBuffet",
    "InfiniteDynamicTopics": "driftline.nonparametric.temporal.infinite_dynamic_topics:InfiniteDynamicTopics",
    "IntensityClassifier": "driftline.intensity.classification.intensity_classifier:IntensityClassifier",
    "IntensityTracker": "driftline.intensity.tracking.intensity_tracker:IntensityTracker",
    "IntensityWatcher": "driftline.intensity.bursts.burst_watcher:IntensityWatcher",
    "KeepWish": "driftline.guidance.wishes:KeepWish",
    "LDA": "driftline.topics.lda:LDA",
    "LabelWish": "driftline.guidance.wishes:LabelWish",
    "LinkWish": "driftline.guidance.wishes:LinkWish",
    "LinkedClassifier": "driftline.graphs.linked_classifier:LinkedClassifier",
    "LocalContextSparseCoding": "driftline.coding.local_context:LocalContextSparseCoding",
    "LocalCRF": "driftline.sequences.local_crf:LocalCRF",
    "LocalLogisticRegression": "driftline.local.logistic.local_logistic_regression:LocalLogisticRegression",
    "LocalMultinomial": "driftline.local.multinomial.local_multinomial:LocalMultinomial",
    "LocalNGram": "driftline.local.ngram.local_ngram:LocalNGram",
    "LocalNaiveBayes": "driftline.local.naive_bayes.local_naive_bayes:LocalNaiveBayes",
    "LocallyWeightedBagOfWords": "driftline.coding.lowbow:LocallyWeightedBagOfWords",
    "ManifoldClassifier": "driftline.evolving.estimators.manifold_classifier:ManifoldClassifier",
    "MarkovLogic": "driftline.graphs.logic.markov_logic:MarkovLogic",
    "MergeWish": "driftline.guidance.wishes:MergeWish",
    "MixtureOfUnigrams": "driftline.topics.mixture_of_unigrams:MixtureOfUnigrams",
    "NameFinder": "driftline.sequences.name_finder:NameFinder",
    "NetworkPLSA": "driftline.topics.networks.network_plsa:NetworkPLSA",
    "NetworkTopics": "driftline.topics.networks.network_topics:NetworkTopics",
    "OrderedLevel": "driftline.evolving.pool.ordered_level:OrderedLevel",
    "PLSA": "driftline.topics.plsa:PLSA",
    "PairWish": "driftline.guidance.wishes:PairWish",
    "Pool": "driftline.evolving.pool.member_pool:Pool",
    "ProportionWish": "driftline.guidance.wishes:ProportionWish",
    "RankingEvidence": "driftline.evolving.pool.ranking_evidence:RankingEvidence",
    "Regimes": "driftline.sequences.regimes:Regimes",
    "RelationalModel": "driftline.graphs.relational.relational_model:RelationalModel",
    "RuleWish": "driftline.guidance.wishes:RuleWish",
    "SmoothedLogistic": "driftline.evolving.pool.smoothed_logistic:SmoothedLogistic",
    "SparseTopicalCoding": "driftline.coding.sparse_topical:SparseTopicalCoding",
    "SpreadWish": "driftline.guidance.wishes:SpreadWish",
    "StoryStream": "driftline.nonparametric.stories.story_stream:StoryStream",
    "StreamLabeller": "driftline.labelling.stream_labeller:StreamLabeller",
    "TagRule": "driftline.guidance.tag_rules:TagRule",
    "Templates": "driftline.sequences.templates:Templates",
    "TemporalDPM": "driftline.nonparametric.temporal.temporal_dpm:TemporalDPM",
    "TextClassifier": "driftline.monitoring.text_classifier:TextClassifier",
    "TextModel": "driftline.base.text_model:TextModel",
    "TimeSensitiveDPM": "driftline.nonparametric.temporal.time_sensitive_dpm:TimeSensitiveDPM",
    "Tokenizer": "driftline.text.tokenise:Tokenizer",
    "TopicDriftTracker": "driftline.intensity.drift.topic_drift:TopicDriftTracker",
    "TopicMap": "driftline.topics.topic_map:TopicMap",
    "TopicSentiment": "driftline.topics.contexts.topic_sentiment:TopicSentiment",
    "TopicWish": "driftline.guidance.wishes:TopicWish",
    "TwoFrameClassifier": "driftline.evolving.estimators.two_frame_classifier:TwoFrameClassifier",
    "Vocabulary": "driftline.text.vocabulary:Vocabulary",
    "WishReport": "driftline.guidance.wish_report:WishReport",
    "WordBursts": "driftline.intensity.bursts.word_bursts:WordBursts",
}
"""Module and class of every public name."""

FORMER_NAMES: Mapping[str, str] = {}
"""Current public name of every former one."""

_NAMES = {home: name for name, home in HOMES.items()}


def public_name(kind: type) -> str | None:
    """Return the public name of a class; None if it has none.

    >>> from driftline.text.tokenise import Tokenizer
    >>> public_name(Tokenizer), public_name(dict)
    ('Tokenizer', None)
    """
    return _NAMES.get(f"{kind.__module__}:{kind.__qualname__}")


def home_of(name: str) -> tuple[str, str] | None:
    """Return the module and the class of a public name, current or former; None if there is no such name.

    >>> home_of("Tokenizer"), home_of("os.system")
    (('driftline.text.tokenise', 'Tokenizer'), None)
    """
    home = HOMES.get(FORMER_NAMES.get(name, name))
    if home is None:
        return None
    module, _, class_name = home.partition(":")
    return module, class_name
