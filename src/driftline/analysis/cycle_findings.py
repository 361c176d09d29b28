"""Words that come round every year or every week, as part of the findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Cycle:
    """A word with a cycle: its peak is `ratio` times the rest of the period, and in `agreeing` of `n_blocks` it was so.

    Blocks are years (of those in the stream whole), or runs of weeks. `profile` is the word's use over its own level in
    every month from January, or on every weekday from Monday.
    """

    word: str
    period: Literal["year", "week"]
    peak: str
    ratio: float
    agreeing: int
    n_blocks: int
    n_documents: int
    profile: list[float]
