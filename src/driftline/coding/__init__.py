"""Models of word order within documents: local contexts, their sparse codes, and the flow of one text."""

from driftline.coding.local_context import LocalContextSparseCoding
from driftline.coding.lowbow import LocallyWeightedBagOfWords
from driftline.coding.sparse_topical import SparseTopicalCoding

__all__ = ["LocalContextSparseCoding", "LocallyWeightedBagOfWords", "SparseTopicalCoding"]
