"""Migration of manifests from earlier formats: one function per format, each to the next.

A function takes the manifest of its format, whose checksum and files have been checked, and returns that of the next;
it changes nothing on disk. A change in the state of a class (a renamed parameter or learned attribute) is also a new
format: the function then changes the nodes of that class, which `nodes_of_classes` finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from driftline.core.errors import ModelFileError
from driftline.persistence.tensors import Node

Manifest = dict[str, Any]

FORMAT_VERSION = 3
"""Current format."""

NAMES_OF_FORMAT_1: Mapping[str, str] = {
    "driftline.analysis.frame_learner.FrameLearner": "FrameLearner",
    "driftline.analysis.labelling.StreamLabeller": "StreamLabeller",
    "driftline.base.text_model.TextModel": "TextModel",
    "driftline.coding.local_context.LocalContextSparseCoding": "LocalContextSparseCoding",
    "driftline.coding.lowbow.LocallyWeightedBagOfWords": "LocallyWeightedBagOfWords",
    "driftline.coding.sparse_topical.SparseTopicalCoding": "SparseTopicalCoding",
    "driftline.evolving.calibration.Calibration": "Calibration",
    "driftline.evolving.chain.Chain": "Chain",
    "driftline.evolving.classifier.EvolutionaryClassifier": "EvolutionaryClassifier",
    "driftline.evolving.manifold.ManifoldClassifier": "ManifoldClassifier",
    "driftline.evolving.ordered_level.OrderedLevel": "OrderedLevel",
    "driftline.evolving.pool.Pool": "Pool",
    "driftline.evolving.ranking_evidence.RankingEvidence": "RankingEvidence",
    "driftline.evolving.smoothed_logistic.SmoothedLogistic": "SmoothedLogistic",
    "driftline.evolving.smoother.EvolutionarySmoother": "EvolutionarySmoother",
    "driftline.evolving.two_frame.TwoFrameClassifier": "TwoFrameClassifier",
    "driftline.intensity.burst_automaton.BurstAutomaton": "BurstAutomaton",
    "driftline.intensity.classifier.IntensityClassifier": "IntensityClassifier",
    "driftline.intensity.topic_drift.TopicDriftTracker": "TopicDriftTracker",
    "driftline.intensity.tracker.IntensityTracker": "IntensityTracker",
    "driftline.intensity.watcher.IntensityWatcher": "IntensityWatcher",
    "driftline.intensity.word_bursts.WordBursts": "WordBursts",
    "driftline.local.logistic.LocalLogisticRegression": "LocalLogisticRegression",
    "driftline.local.multinomial.LocalMultinomial": "LocalMultinomial",
    "driftline.local.naive_bayes.LocalNaiveBayes": "LocalNaiveBayes",
    "driftline.local.ngram.LocalNGram": "LocalNGram",
    "driftline.text.tokenise.Tokenizer": "Tokenizer",
    "driftline.topics.lda.LDA": "LDA",
    "driftline.topics.mixture_of_unigrams.MixtureOfUnigrams": "MixtureOfUnigrams",
    "driftline.topics.plsa.PLSA": "PLSA",
}
"""Public name of every class by the module path that format 1 wrote. Modules have moved since; the table stays."""


def migrated(manifest: Manifest) -> Manifest:
    """Return a manifest of any earlier format as one of the current format."""
    version = manifest["format_version"]
    while version < FORMAT_VERSION:
        manifest = MIGRATIONS[version](manifest)
        version += 1
    return {**manifest, "format_version": version}


def nodes_of_classes(node: object) -> Iterator[Node]:
    """Yield every node that names a class, at any depth: estimators and records."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if node.get("$") in ("estimator", "record"):
                yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def names_instead_of_modules(manifest: Manifest) -> Manifest:
    """Convert format 1 to 2: classes of driftline have public names instead of module paths.

    The classes of other packages keep their paths.
    """
    for node in nodes_of_classes(manifest.get("model")):
        node["class"] = _public(node.get("class"))
    return {**manifest, "class": _public(manifest.get("class"))}


def _public(path: object) -> object:
    if not isinstance(path, str) or not path.startswith("driftline."):
        return path
    if path not in NAMES_OF_FORMAT_1:
        raise ModelFileError(f"the model names the class {path!r}, which driftline never saved; it was tampered with")
    return NAMES_OF_FORMAT_1[path]


def predicted_instead_of_foreseen(manifest: Manifest) -> Manifest:
    """Convert format 2 to 3: the learned attribute ``foreseen_`` of `Chain` and `Pool` is called ``predicted_``."""
    for node in nodes_of_classes(manifest.get("model")):
        state = node.get("state")
        if node.get("class") in ("Chain", "Pool") and isinstance(state, dict) and "foreseen_" in state:
            state["predicted_"] = state.pop("foreseen_")
    return manifest


MIGRATIONS: Mapping[int, Callable[[Manifest], Manifest]] = {
    1: names_instead_of_modules,
    2: predicted_instead_of_foreseen,
}
"""Function from each earlier format to the next."""
