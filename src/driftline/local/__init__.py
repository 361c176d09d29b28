"""Local likelihood: language models and classifiers that follow the drift."""

from driftline.local.changed_words import ChangedWords, changed_words
from driftline.local.logistic import LocalLogisticRegression
from driftline.local.logistic_words import WordMovement
from driftline.local.multinomial import LocalMultinomial
from driftline.local.naive_bayes import LocalNaiveBayes
from driftline.local.ngram import LocalNGram
from driftline.local.reading_curves import ReadingCurves, reading_curves

__all__ = [
    "ChangedWords",
    "LocalLogisticRegression",
    "LocalMultinomial",
    "LocalNGram",
    "LocalNaiveBayes",
    "ReadingCurves",
    "WordMovement",
    "changed_words",
    "reading_curves",
]
