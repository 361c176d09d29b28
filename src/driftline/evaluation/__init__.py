"""Scores of bands, discoveries, classifiers and topics: coverage, false discoveries, accuracy, perplexity."""

from driftline.evaluation.band_coverage import band_coverage
from driftline.evaluation.classification_scores import ClassificationScores, classification_scores
from driftline.evaluation.coherence import coherence
from driftline.evaluation.discoveries import Discoveries, compare_discoveries
from driftline.evaluation.diversity import topic_diversity
from driftline.evaluation.perplexity import CompletionScore, document_completion
from driftline.evaluation.predicted_shares import PredictedShares, predicted_shares
from driftline.evaluation.prequential import PrequentialScore, prequential_score

__all__ = [
    "ClassificationScores",
    "CompletionScore",
    "Discoveries",
    "PredictedShares",
    "PrequentialScore",
    "band_coverage",
    "classification_scores",
    "coherence",
    "compare_discoveries",
    "document_completion",
    "predicted_shares",
    "prequential_score",
    "topic_diversity",
]
