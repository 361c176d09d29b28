"""Models of documents that are linked to each other."""

from driftline.graphs.linked_classifier import LinkedClassifier

__all__ = ["LinkedClassifier"]
