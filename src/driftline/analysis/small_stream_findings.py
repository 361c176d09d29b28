"""What the findings hold of a stream that is too small for claims about change."""

from __future__ import annotations

from dataclasses import dataclass, field

from driftline.analysis.shown_evidence import Example


@dataclass(frozen=True)
class FrequentWord:
    """A word and the number of documents that hold it."""

    word: str
    n_documents: int


@dataclass(frozen=True)
class SmallStream:
    """A stream of fewer than `fewest` documents, or of fewer than three distinct times (`n_times`).

    No claim is made; words and documents are shown. Without `words` there was none to count.
    """

    n_documents: int
    fewest: int
    words: list[FrequentWord] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    n_times: int = 0
