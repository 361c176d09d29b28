"""Local likelihood: language models and classifiers that follow the drift."""

from driftline.local.changed_words import ChangedWords, changed_words
from driftline.local.multinomial import LocalMultinomial

__all__ = ["ChangedWords", "LocalMultinomial", "changed_words"]
