"""Local likelihood: language models and classifiers that follow the drift."""

from driftline.local.changed_words.discovery import ChangedWords, changed_words
from driftline.local.logistic.local_logistic_regression import LocalLogisticRegression
from driftline.local.logistic.word_coefficients import WordMovement
from driftline.local.multinomial.local_multinomial import LocalMultinomial
from driftline.local.naive_bayes.local_naive_bayes import LocalNaiveBayes
from driftline.local.ngram.local_ngram import LocalNGram
from driftline.local.reading.reading_curves import ReadingCurves, reading_curves

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
