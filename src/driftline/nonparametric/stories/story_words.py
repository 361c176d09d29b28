"""The word counts of live stories: a sparse row per story, with increasing columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from driftline.compute import current_kernels
from driftline.core.arrays import Floats, Ints
from driftline.nonparametric.stories.window import Window


class StoryWords(NamedTuple):
    """Rows of counts: row k has the columns and amounts from ``offsets[k]`` to ``offsets[k + 1]``."""

    offsets: Ints
    columns: Ints
    amounts: Floats
    n_words: int

    @classmethod
    def of(cls, rows: sp.csr_matrix) -> StoryWords:
        """Convert a matrix, after sorting its columns."""
        rows = sp.csr_matrix(rows, dtype=np.float64, copy=True)
        rows.sort_indices()
        return cls(rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data, rows.shape[1])

    def matrix(self) -> sp.csr_matrix:
        """Return the rows as a matrix."""
        return sp.csr_matrix((self.amounts, self.columns, self.offsets), shape=(len(self.offsets) - 1, self.n_words))

    def with_documents(self, n_rows: int, window: Window, first: int, owners: Ints) -> StoryWords:
        """Add the documents of a window, starting at `first`, to their rows of `n_rows`; owners of −1 are left out."""
        offsets, columns, amounts = current_kernels().story_words.add_documents(
            *self[:3], n_rows, owners, first, window.offsets, window.words, window.counts, self.n_words
        )
        return StoryWords(offsets, columns, amounts, self.n_words)

    def selected(self, rows: Ints) -> StoryWords:
        """Return some rows, in the given order."""
        offsets, columns, amounts = current_kernels().story_words.select_rows(*self[:3], rows)
        return StoryWords(offsets, columns, amounts, self.n_words)

    def merged(self, keep: int, gone: int) -> StoryWords:
        """Add the row `gone` to the row `keep`; `gone` itself is not removed."""
        held = self.matrix()
        moved = sp.csr_matrix(([1.0], ([keep], [gone])), shape=(held.shape[0], held.shape[0]))
        return StoryWords.of(held + moved @ held)

    def parted(self, row: int, counts: sp.csr_matrix) -> StoryWords:
        """Remove counts from a row, and append them as a row of their own."""
        held = self.matrix()
        taken = sp.csr_matrix(([-1.0], ([row], [0])), shape=(held.shape[0], 1)) @ counts
        found = sp.vstack([(held + taken).maximum(0), counts], format="csr")
        found.eliminate_zeros()
        return StoryWords.of(found)

    def heaviest(self, rows: Ints, weights: Floats, n: int) -> tuple[Ints, Floats]:
        """Return the columns with the `n` largest weighted counts of rows, −1 if missing, and these as unit rows."""
        found: tuple[Ints, Floats] = current_kernels().story_words.heaviest_words(*self[:3], rows, weights, n)
        return found
