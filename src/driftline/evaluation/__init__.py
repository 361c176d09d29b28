"""How well did it do: bands that cover, discoveries that are true."""

from driftline.evaluation.coherence import coherence
from driftline.evaluation.coverage import band_coverage
from driftline.evaluation.discoveries import Discoveries, compare_discoveries
from driftline.evaluation.diversity import topic_diversity
from driftline.evaluation.perplexity import CompletionScore, document_completion
from driftline.evaluation.prequential import PrequentialScore, prequential_score

__all__ = [
    "CompletionScore",
    "Discoveries",
    "PrequentialScore",
    "band_coverage",
    "coherence",
    "compare_discoveries",
    "document_completion",
    "prequential_score",
    "topic_diversity",
]
