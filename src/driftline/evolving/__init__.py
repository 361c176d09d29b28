"""The evolving family: few labels, moving concepts."""

from driftline.evolving.classifier import EvolutionaryClassifier
from driftline.evolving.forward_validation import ForwardScore, forward_validation
from driftline.evolving.frame_records import FrameDiagnostics, WeightChange
from driftline.evolving.manifold import ManifoldClassifier
from driftline.evolving.smoother import EvolutionarySmoother
from driftline.evolving.two_frame import TwoFrameClassifier

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
