"""Public names of the classes that a saved model may contain, and the present module of each.

A model on disk names a class by its public name (``"LDA"``), never by its module, so modules can be renamed without
breaking saved models: when a class moves, only its line here changes. When a class gets another public name, its old
one is added to `FORMER_NAMES`. A public name is never reused for another class.

The table contains strings because persistence is a lower layer than the classes that it names;
`tests/persistence/test_public_names.py` compares it with the code.
"""

from __future__ import annotations

from collections.abc import Mapping

HOMES: Mapping[str, str] = {
    "BurstAutomaton": "driftline.intensity.bursts.burst_automaton:BurstAutomaton",
    "Calibration": "driftline.evolving.pool.exponent_calibration:Calibration",
    "Chain": "driftline.evolving.paper.paper_method:Chain",
    "DirichletProcessMixture": "driftline.nonparametric.dirichlet_process_mixture:DirichletProcessMixture",
    "EvolutionaryClassifier": "driftline.evolving.estimators.evolutionary_classifier:EvolutionaryClassifier",
    "EvolutionarySmoother": "driftline.evolving.estimators.evolutionary_smoother:EvolutionarySmoother",
    "FrameLearner": "driftline.labelling.growing_vocabulary:FrameLearner",
    "HiddenMarkovModel": "driftline.sequences.hidden_markov_model:HiddenMarkovModel",
    "IntensityClassifier": "driftline.intensity.classification.intensity_classifier:IntensityClassifier",
    "IntensityTracker": "driftline.intensity.tracking.intensity_tracker:IntensityTracker",
    "IntensityWatcher": "driftline.intensity.bursts.burst_watcher:IntensityWatcher",
    "LDA": "driftline.topics.lda:LDA",
    "LinkedClassifier": "driftline.graphs.linked_classifier:LinkedClassifier",
    "LocalContextSparseCoding": "driftline.coding.local_context:LocalContextSparseCoding",
    "LocalLogisticRegression": "driftline.local.logistic.local_logistic_regression:LocalLogisticRegression",
    "LocalMultinomial": "driftline.local.multinomial.local_multinomial:LocalMultinomial",
    "LocalNGram": "driftline.local.ngram.local_ngram:LocalNGram",
    "LocalNaiveBayes": "driftline.local.naive_bayes.local_naive_bayes:LocalNaiveBayes",
    "LocallyWeightedBagOfWords": "driftline.coding.lowbow:LocallyWeightedBagOfWords",
    "ManifoldClassifier": "driftline.evolving.estimators.manifold_classifier:ManifoldClassifier",
    "MixtureOfUnigrams": "driftline.topics.mixture_of_unigrams:MixtureOfUnigrams",
    "OrderedLevel": "driftline.evolving.pool.ordered_level:OrderedLevel",
    "PLSA": "driftline.topics.plsa:PLSA",
    "Pool": "driftline.evolving.pool.member_pool:Pool",
    "RankingEvidence": "driftline.evolving.pool.ranking_evidence:RankingEvidence",
    "SmoothedLogistic": "driftline.evolving.pool.smoothed_logistic:SmoothedLogistic",
    "SparseTopicalCoding": "driftline.coding.sparse_topical:SparseTopicalCoding",
    "StreamLabeller": "driftline.labelling.stream_labeller:StreamLabeller",
    "TextModel": "driftline.base.text_model:TextModel",
    "Tokenizer": "driftline.text.tokenise:Tokenizer",
    "TopicDriftTracker": "driftline.intensity.drift.topic_drift:TopicDriftTracker",
    "TwoFrameClassifier": "driftline.evolving.estimators.two_frame_classifier:TwoFrameClassifier",
    "Vocabulary": "driftline.text.vocabulary:Vocabulary",
    "WordBursts": "driftline.intensity.bursts.word_bursts:WordBursts",
}
"""Module and class of every public name."""

FORMER_NAMES: Mapping[str, str] = {}
"""Present public name of every former one."""

_NAMES = {home: name for name, home in HOMES.items()}


def public_name(kind: type) -> str | None:
    """Return the public name of a class; None if it has none.

    >>> from driftline.text.tokenise import Tokenizer
    >>> public_name(Tokenizer), public_name(dict)
    ('Tokenizer', None)
    """
    return _NAMES.get(f"{kind.__module__}:{kind.__qualname__}")


def home_of(name: str) -> tuple[str, str] | None:
    """Return the module and the class of a public name, present or former; None if there is no such name.

    >>> home_of("Tokenizer"), home_of("os.system")
    (('driftline.text.tokenise', 'Tokenizer'), None)
    """
    home = HOMES.get(FORMER_NAMES.get(name, name))
    if home is None:
        return None
    module, _, class_name = home.partition(":")
    return module, class_name
