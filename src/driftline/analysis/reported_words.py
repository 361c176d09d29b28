"""The words that findings are about: all, or all but numbers, which are mostly those of dates, paragraphs and pages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftline.core.arrays import Bools, Counts
from driftline.text.headline_words import is_calendar_word


def is_reported(words: Sequence[str] | np.ndarray, *, numbers: bool) -> Bools:
    """Return a mask of the words that findings may be about: with `numbers` all, otherwise no numbers or numeric dates.

    >>> is_reported(["war", "2003", "21st", "may7", "covid 19", "b52"], numbers=False).tolist()
    [True, False, False, False, True, True]
    """
    return np.ones(len(words), np.bool_) if numbers else ~is_calendar_word(words, ())


def without_other_words(counts: Counts, reported: Bools) -> Counts:
    """Return the counts with empty columns for all words that are not reported; `reported` may go on beyond them."""
    if reported.all():
        return counts
    found = counts.copy()
    found.data[~reported[found.indices]] = 0
    found.eliminate_zeros()
    return found
