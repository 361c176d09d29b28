"""The evolving family: few labels, drifting concepts."""

from driftline.evolving.estimators.evolutionary_classifier import EvolutionaryClassifier
from driftline.evolving.estimators.evolutionary_smoother import EvolutionarySmoother
from driftline.evolving.estimators.manifold_classifier import ManifoldClassifier
from driftline.evolving.estimators.two_frame_classifier import TwoFrameClassifier
from driftline.evolving.frames.forward_validation import ForwardScore, forward_validation
from driftline.evolving.frames.frame_records import FrameDiagnostics, WeightChange

__all__ = [
    "EvolutionaryClassifier",
    "EvolutionarySmoother",
    "ForwardScore",
    "FrameDiagnostics",
    "ManifoldClassifier",
    "TwoFrameClassifier",
    "WeightChange",
    "forward_validation",
]
