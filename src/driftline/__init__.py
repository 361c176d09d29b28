"""driftline: text that changes over time. What changed, when, and how certain that is.

>>> import driftline
>>> driftline.__version__
'0.1.0'

Every estimator and function can be imported from here: ``from driftline import LDA, changed_words``. Names are imported
on first use, so that ``import driftline`` is fast; type checkers read `__init__.pyi`.
"""

from __future__ import annotations

import importlib

__version__ = "0.1.0"

_EXPORTS = {
    "driftline.analysis.analyse": "analyse",
    "driftline.base.text_model": "TextModel",
    "driftline.coding": "LocalContextSparseCoding LocallyWeightedBagOfWords SparseTopicalCoding",
    "driftline.datasets": "Burst SimulatedNewswire simulate_newswire",
    "driftline.engines": "Engine Threads engine_of gpu_memory_limit",
    "driftline.evaluation": (
        "ClassificationScores CompletionScore Discoveries PredictedShares PrequentialScore band_coverage "
        "classification_scores coherence compare_discoveries document_completion predicted_shares "
        "prequential_score topic_diversity"
    ),
    "driftline.evolving": (
        "EvolutionaryClassifier EvolutionarySmoother ForwardScore FrameDiagnostics ManifoldClassifier "
        "TwoFrameClassifier WeightChange forward_validation"
    ),
    "driftline.figures": (
        "plot_accuracy plot_bursts plot_changed_words plot_coefficients plot_drift_speed plot_effects plot_intensities "
        "plot_levels plot_lineage plot_panels plot_periods plot_storylines plot_topic_map plot_topic_tree plot_topics "
        "plot_volume plot_weight_changes plot_word_changes plot_word_curves"
    ),
    "driftline.graphs": (
        "BayesianNetwork Hit LinkedClassifier MarkovLogic MarkovRandomField RelationalModel SearchIndex "
        "TermDependenceRanker"
    ),
    "driftline.guidance": "Guide TagRule WishReport",
    "driftline.intensity": (
        "BurstAutomaton IntensityClassifier IntensityStream IntensityTracker IntensityWatcher "
        "TopicDriftTracker WordBursts filter_explicit_stream simulate_intensity_stream "
        "simulate_published_stream"
    ),
    "driftline.labelling.stream_labeller": "StreamLabeller",
    "driftline.local": (
        "ChangedWords CoefficientChange ForwardClassifier LocalLogisticRegression LocalMultinomial LocalNGram "
        "LocalNaiveBayes ReadingCurves SetComparison changed_words compare_sets reading_curves"
    ),
    "driftline.monitoring": "DriftCheck TextClassifier Thresholds check_drift",
    "driftline.nonparametric": (
        "BetaProcess ChineseRestaurant CluStream ClusterHistory ClusterLife DenStream DirichletProcess "
        "DirichletProcessMixture EvolutionaryHDP HDP HPYLM HierarchicalBetaProcess HierarchicalLDA IndianBuffet "
        "IndianBuffetProcess InfiniteDynamicTopics NestedChineseRestaurant NodeTree RecurrentChineseRestaurant "
        "SampledNumber StickBreaking Story StoryEvent StoryShares StoryStream TemporalDPM TimeSensitiveDPM"
    ),
    "driftline.persistence": "ModelDescription describe load save_model",
    "driftline.readers": "read",
    "driftline.report": "headlines write_report",
    "driftline.sequences": (
        "CRF ConstrainedTagger HiddenMarkovModel HiddenMarkovTagger LocalCRF NameFinder Regimes Templates "
        "english_tagger names_in noun_phrases_in sentences_of spans_of"
    ),
    "driftline.streams.corpus": "Corpus",
    "driftline.streams.stream": "Stream",
    "driftline.text": "Pruned TokenSequences Tokenizer Vocabulary WordCounter count_words token_sequences",
    "driftline.topics": (
        "ComparativeTopics ContextualTopics Contrasts Coverage Effects LDA LadderStep LifeCycle Lineage LineageEvent "
        "MixtureOfUnigrams NetworkPLSA NetworkTopics PLSA TopicBatch TopicCard TopicGroup TopicMap TopicPlaces "
        "TopicSentiment TopicTree TopicsOverTime contrasts coverage effects learn_from_stream show_words "
        "topic_distances topic_flow topic_ladder topic_lineage topic_places topic_tree topics_over_time"
    ),
}
"""Module → its public names. Those of `driftline.compute` are for new devices, and stay there."""
_HOMES = {name: module for module, names in _EXPORTS.items() for name in names.split()}
__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'driftline' has no attribute {name!r}")
    value: object = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
