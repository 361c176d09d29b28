"""Texts split into lines and joined again, as Arrow arrays, for decisions on many lines at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.arrays import Bools, Ints


class Lines(NamedTuple):
    """The lines of many texts, concatenated: text i has the lines ``offsets[i]`` to ``offsets[i + 1]``.

    >>> lines = Lines.of(pa.array(["one\\ntwo", "three"], pa.large_string()))
    >>> lines.text.to_pylist(), lines.offsets
    (['one', 'two', 'three'], array([0, 2, 3]))
    >>> lines.joined(np.array([False, True, True])).to_pylist()
    ['two', 'three']
    """

    text: pa.LargeStringArray
    offsets: Ints

    @classmethod
    def of(cls, texts: pa.LargeStringArray) -> Lines:
        """Split texts at every line end."""
        split = pc.split_pattern(texts, "\n")
        return cls(split.flatten(), np.asarray(split.offsets, dtype=np.int64) - split.offsets[0].as_py())

    def joined(self, keep: Bools | None = None) -> pa.LargeStringArray:
        """Join the lines of each text again, either all of them or only those to keep."""
        text, offsets = self.text, self.offsets
        if keep is not None:
            text = text.filter(pa.array(keep))
            offsets = np.concatenate([[0], np.cumsum(keep)])[offsets]
        return pc.binary_join(
            pa.LargeListArray.from_arrays(pa.array(offsets), text), pa.scalar("\n", pa.large_string())
        )

    def document(self) -> Ints:
        """Return for every line the number of its text."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def matching(self, expression: str) -> Bools:
        """Return a mask of the lines that an expression in RE2's syntax matches."""
        found: Bools = pc.match_substring_regex(self.text, expression).to_numpy(zero_copy_only=False)
        return found
