"""A tree of topics as a result: a table, a summary line, and a text drawing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from driftline.core.arrays import Ints
from driftline.core.display import one_line
from driftline.core.pictures import MOST_BARS, Bars, Picture
from driftline.core.results import Columns, Result, counted

SHOWN = 5
"""Number of words of a node in a drawing."""


@dataclass(frozen=True, repr=False)
class NodeTree(Result):
    """The nodes of a tree, each after its parent: parents (-1 for the root), levels, documents, tokens, and words.

    >>> tree = NodeTree(np.array([-1, 0, 0]), np.array([0, 1, 1]), np.array([9, 5, 4]), np.array([90, 20, 12]),
    ...                 [["the"], ["oil", "opec"], ["wheat", "crop"]])
    >>> print(tree.drawing())
    the (9)
    ├─ oil, opec (5)
    └─ wheat, crop (4)
    """

    parents: Ints
    levels: Ints
    n_documents: Ints
    n_tokens: Ints
    words: list[list[str | int]]

    def drawing(self, n_words: int = SHOWN, min_documents: int = 1) -> str:
        """Return the tree as lines of text: words, and the number of documents; smaller nodes are left out."""
        return "\n".join(self._lines(0, n_words, min_documents))

    def children(self, node: int) -> Ints:
        """Return the children of a node, the largest first."""
        found = np.flatnonzero(self.parents == node)
        return found[np.argsort(-self.n_documents[found], kind="stable")]

    def _lines(self, node: int, n_words: int, min_documents: int) -> list[str]:
        words = one_line(", ".join(str(word) for word in self.words[node][:n_words]))
        lines = [f"{words} ({int(self.n_documents[node]):,})"]
        children = [child for child in self.children(node).tolist() if self.n_documents[child] >= min_documents]
        for child in children:
            last = child == children[-1]
            first, rest = ("└─ ", "   ") if last else ("├─ ", "│  ")
            own = self._lines(child, n_words, min_documents)
            lines += [first + own[0], *(rest + line for line in own[1:])]
        return lines

    def _columns(self) -> Columns:
        words = [", ".join(str(word) for word in row) for row in self.words]
        numbers = {"parent": self.parents, "level": self.levels}
        sizes = {"n_documents": self.n_documents, "n_tokens": self.n_tokens}
        return {"node": np.arange(len(self.parents)), **numbers, **sizes, "words": words}

    def _summary(self) -> str:
        n_leaves = int((self.levels == self.levels.max()).sum())
        leaves = counted(n_leaves, "leaf", "leaves")
        return f"{counted(len(self.parents), 'node')} in {int(self.levels.max()) + 1} levels, {leaves}"

    def _picture(self) -> Picture:
        shown = range(min(len(self.parents), MOST_BARS))
        names = [f"{'· ' * int(self.levels[k])}{', '.join(str(word) for word in self.words[k][:3])}" for k in shown]
        return Bars(names, self.n_documents[: len(names)].astype(np.float64), "n documents")
