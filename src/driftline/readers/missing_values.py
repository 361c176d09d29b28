"""Words that stand for a missing value in delimited files, which cannot represent one otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

AMBIGUOUS = "NA"
"""The missing value of files written by R; among labels it may also be North America."""
CERTAIN = ("N/A", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "\\N")
"""The missing values of files written by spreadsheets, pandas and databases."""


class MissingValues:
    """The words that stand for missing values in one file, according to a sample of its columns.

    Among labels, `AMBIGUOUS` is a label like any other if no other column has it.

    >>> missing = MissingValues({"date": ["2003", "2004"], "text": ["war", "null"], "region": ["NA", "EU"]})
    >>> missing.sample()["text"], missing.as_null(pa.array(["NA", "EU"]), is_label=True).to_pylist()
    (['war', ''], ['NA', 'EU'])
    """

    def __init__(self, sample: Mapping[str, Sequence[str]]) -> None:
        self._sample = sample
        self._is_certain = sum(AMBIGUOUS in values for values in sample.values()) > 1

    def sample(self) -> dict[str, list[str]]:
        """Return the sample with empty strings for missing values."""
        words = {AMBIGUOUS, *CERTAIN}
        return {name: ["" if value in words else value for value in values] for name, values in self._sample.items()}

    def as_null(self, values: pa.Array, *, is_label: bool) -> pa.Array:
        """Return the values of a column, null where they are missing."""
        words = CERTAIN if is_label and not self._is_certain else (AMBIGUOUS, *CERTAIN)
        return pc.if_else(pc.is_in(values, pa.array(words, values.type)), pa.scalar(None, values.type), values)
