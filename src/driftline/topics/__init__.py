"""Topic models: what documents are about, and how that changes."""

from driftline.topics.lda import LDA

__all__ = ["LDA"]
