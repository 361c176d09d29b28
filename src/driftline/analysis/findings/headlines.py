"""Headlines as plain data: large changes, stories of several words, and changes of authors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from driftline.analysis.finding import Finding

if TYPE_CHECKING:
    from driftline.analysis.context import Context


@dataclass(frozen=True)
class WordChange:
    """The ratio of a word's frequency in documents from `start` to `end` to that in the rest.

    `ratio`, with a 95 % interval, is that of the higher share of documents to the lower; `direction` says whether the
    higher one is inside ("more") or outside ("less"). Windows are selected on one half of the data and measured on the
    other. A change is "lasting" if other units of time confirm it, an "event" if it lies within three units and other
    documents of these confirm it. `from_start` and `to_end` are true if the window begins or ends with the stream.
    `with_groups` is "author" or "thread" if a lasting change may be due only to authors or threads that joined or left.
    """

    word: str
    kind: Literal["lasting", "event"]
    direction: Literal["more", "less"]
    ratio: float
    lower: float
    upper: float
    start: str
    end: str
    from_start: bool
    to_end: bool
    n_inside: int
    n_documents: int
    headline: bool = False
    with_groups: str | None = None


@dataclass(frozen=True)
class Story:
    """Words that changed together in the same documents: the strongest, its change, and the `others`.

    `n_more` words of the story are not listed.
    """

    change: WordChange
    others: list[str] = field(default_factory=list)
    n_more: int = 0


@dataclass(frozen=True)
class RatioWithin:
    """The ratio of a word's shares of documents within groups of documents, with a 95 % interval."""

    ratio: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Composition:
    """Words that are more frequent because one group of documents is: a change of sources, not of words.

    The first of the `words` has the crude `change` and a much smaller ratio `within` groups (None if no group has
    documents both inside and outside). `group` wrote the share `share_inside` of the documents where the word is
    frequent, `share_outside` of the others, and `share_of_word` of those with the word. `column` names the kind of
    groups, and `n_more` words of the group are not listed. `one_author` means that the group is a single author who
    wrote most of the documents with the words, whatever the ratio within authors.
    """

    words: list[str]
    change: WordChange
    within: RatioWithin | None
    column: str
    group: str
    share_inside: float
    share_outside: float
    share_of_word: float
    n_more: int = 0
    one_author: bool = False


@dataclass(frozen=True)
class Headlines:
    """The headlines of a report: stories in order of importance, and changes of composition.

    `n_words` words pass as headlines; `stories` has the strongest of them. `noun` is the counted unit: documents, or
    passages if documents are long.
    """

    stories: list[Story] = field(default_factory=list)
    compositions: list[Composition] = field(default_factory=list)
    n_words: int = 0
    noun: str = "documents"


def find(context: Context) -> Headlines:
    """Return the headlines among the measured changes."""
    return context.measured.headlines


HEADLINES = Finding("headlines", find, empty=Headlines, position=200, since=1)
