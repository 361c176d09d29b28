"""What was found within long documents, as plain data: a part of `Findings`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from driftline.analysis.shown_evidence import Series


@dataclass(frozen=True)
class DocumentTheme:
    """A theme within long documents: the words that tell it from the others, and its share of their text over time."""

    words: list[str]
    share: float
    curve: Series


@dataclass(frozen=True)
class DocumentEra:
    """How the documents of one stretch of the stream run: the mean share of each theme from beginning to end.

    `shares` are places × themes, the places evenly spread. A theme leads for `run_words` words before another takes
    over, on average over the documents, with a band.
    """

    start: str
    end: str
    n_documents: int
    shares: list[list[float]]
    run_words: float
    run_lower: float
    run_upper: float


@dataclass(frozen=True)
class DocumentTurn:
    """A segment of one document: the place where it begins, its leading themes, and the words that tell it apart."""

    place: int
    themes: list[int]
    words: list[str]


@dataclass(frozen=True)
class DocumentFlow:
    """One long document from its first word to its last.

    Place i lies at word `positions[i]`, in passage `passages[passage_of[i]]` (untrusted text, shortened), and has the
    shares `shares[i]` of the themes. `kind` says why it is shown: it is the latest, or the most typical of era `era`.
    """

    id: str
    time: str
    label: str | None
    kind: Literal["latest", "typical"]
    era: int
    n_words: int
    positions: list[int]
    shares: list[list[float]]
    passage_of: list[int]
    passages: list[str]
    turns: list[DocumentTurn]


@dataclass(frozen=True)
class LongDocuments:
    """What long documents are about place by place: themes in the order in which they mostly follow each other.

    Themes are learned from `n_used` documents, spread over the stream; a place is seen through a window of
    `bandwidth` words to either side (of those words that tell places apart).
    """

    median_words: float
    n_used: int
    bandwidth: float
    themes: list[DocumentTheme]
    eras: list[DocumentEra]
    documents: list[DocumentFlow]
