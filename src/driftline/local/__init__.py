"""Local likelihood: language models and classifiers that adapt to drift."""

import warnings

from driftline.local.changed_words.discovery import ChangedWords, changed_words
from driftline.local.changed_words.two_sets import SetComparison, compare_sets
from driftline.local.forward.forward_classifier import ForwardClassifier
from driftline.local.logistic.local_logistic_regression import LocalLogisticRegression
from driftline.local.logistic.word_coefficients import CoefficientChange
from driftline.local.multinomial.local_multinomial import LocalMultinomial
from driftline.local.naive_bayes.local_naive_bayes import LocalNaiveBayes
from driftline.local.ngram.local_ngram import LocalNGram
from driftline.local.reading.reading_curves import ReadingCurves, reading_curves

__all__ = [
    "ChangedWords",
    "CoefficientChange",
    "ForwardClassifier",
    "LocalLogisticRegression",
    "LocalMultinomial",
    "LocalNGram",
    "LocalNaiveBayes",
    "ReadingCurves",
    "SetComparison",
    "changed_words",
    "compare_sets",
    "reading_curves",
]


def __getattr__(name: str) -> object:
    if name == "WordMovement":
        warnings.warn("WordMovement is now called CoefficientChange", FutureWarning, stacklevel=2)
        return CoefficientChange
    raise AttributeError(f"module 'driftline.local' has no attribute {name!r}")
