"""Search in dated documents: a positional index, and rankings that use word order and time."""

from driftline.graphs.search.search_index import Hit, SearchIndex
from driftline.graphs.search.term_dependence import TermDependenceRanker

__all__ = ["Hit", "SearchIndex", "TermDependenceRanker"]
