"""Duplicate documents: only one of several equal texts within thirty days is counted.

Texts of fewer than five words are all counted: two people who write "thank you" have not copied each other.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from driftline.core.arrays import Bools, Ints
from driftline.core.days_of_dates import MICROSECONDS_PER_DAY
from driftline.text.lexicon import Lexicon
from driftline.text.rows import normalise

WITHIN_DAYS = 30
LEAST_WORDS = 5


def find_duplicates(texts: pa.ChunkedArray, times: np.ndarray, *, within_days: float = WITHIN_DAYS) -> Bools:
    """Return a mask of the documents that repeat one counted in the `within_days` before; `times` are sorted.

    Texts are compared in lower case, with every run of characters other than letters and digits as one space. A text of
    fewer than `LEAST_WORDS` words is never a duplicate.

    >>> times = np.array(["2015-01-01", "2015-01-09", "2015-03-01"], "datetime64[us]")
    >>> texts = ["The storm hits the coast!", "the storm hits the coast", "the storm hits the coast"]
    >>> find_duplicates(pa.chunked_array([texts], pa.large_string()), times)
    array([False,  True, False])
    """
    numbers = _numbered(texts)
    moments = np.asarray(times, dtype="datetime64[us]").astype(np.int64)
    repeated = np.zeros(len(numbers), dtype=np.bool_)
    order = np.argsort(numbers, kind="stable")
    latest = 0
    for row, same in zip(order, np.diff(numbers[order], prepend=-2) == 0):
        if numbers[row] < 0:
            continue
        repeated[row] = same and moments[row] - latest <= within_days * MICROSECONDS_PER_DAY
        if not repeated[row]:
            latest = moments[row]
    return repeated


def _numbered(texts: pa.ChunkedArray) -> Ints:
    """Return a number for every text, the same for equal ones; −1 for those with too few words."""
    lexicon = Lexicon()
    numbers = [np.zeros(0, dtype=np.int64)]
    for chunk in texts.chunks:
        plain = pc.replace_substring_regex(
            normalise(chunk, lowercase=True, strip_accents=None)[0], pattern=r"[\s\pP\pS]+", replacement=" "
        )
        plain = pc.utf8_trim_whitespace(plain)
        long_enough = pc.greater_equal(pc.count_substring(plain, " "), LEAST_WORDS - 1)
        numbers.append(np.where(long_enough, lexicon.number(plain), -1))
    return np.concatenate(numbers)
