"""Topic models: what documents are about, and how that changes."""

from driftline.topics.lda import LDA
from driftline.topics.mixture_of_unigrams import MixtureOfUnigrams
from driftline.topics.plsa import PLSA

__all__ = ["LDA", "PLSA", "MixtureOfUnigrams"]
