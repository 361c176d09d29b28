"""Models of documents that are linked to each other, of variables that depend on each other, and search."""

from driftline.graphs.bayes import BayesianNetwork
from driftline.graphs.fields import MarkovRandomField
from driftline.graphs.linked_classifier import LinkedClassifier
from driftline.graphs.logic import MarkovLogic
from driftline.graphs.relational import RelationalModel
from driftline.graphs.search import Hit, SearchIndex, TermDependenceRanker

__all__ = [
    "BayesianNetwork",
    "Hit",
    "LinkedClassifier",
    "MarkovLogic",
    "MarkovRandomField",
    "RelationalModel",
    "SearchIndex",
    "TermDependenceRanker",
]
