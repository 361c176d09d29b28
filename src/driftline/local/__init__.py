"""Local likelihood: language models and classifiers that follow the drift."""

from driftline.local.multinomial import LocalMultinomial

__all__ = ["LocalMultinomial"]
