"""The answers of the screens: overview, topics, words, documents, alarms."""

from __future__ import annotations

from typing_extensions import TypedDict

from driftline.service.answers.parts import (
    Alarm,
    Band,
    DocumentRow,
    DriftingWord,
    Level,
    River,
    TopicCurve,
    TopicRef,
    WordCurve,
)


class Overview(TypedDict):
    """GET /api/overview?at=TIME&span=SECONDS.

    With `at`, all parts are as they were then (time travel); `at` in the answer is None for the present. `now` is the
    time of the newest document (or `at`). `batch` is the number of the last batch included: SSE continues after it.
    """

    now: float
    at: float | None
    first: float | None
    batch: int
    n_documents: int
    headline: str
    river: River
    alarms: list[Alarm]
    drifting: list[DriftingWord]
    newest: list[DocumentRow]


class TopicList(TypedDict):
    """GET /api/topics: all topics of the present model with their recent course, most frequent first."""

    now: float
    level: Level
    times: list[float]
    topics: list[TopicCurve]


class WordShare(TypedDict):
    """A word of a topic: its share of the topic's words."""

    word: str
    share: float


class LineageStep(TypedDict):
    """What a refit did to a topic: "kept", "born", "died", "split" or "merged", with the ids before and after."""

    time: float
    kind: str
    old: list[int]
    new: list[int]
    overlap: float


class TopicPage(TypedDict):
    """GET /api/topics/ID?at=&span=: one topic. `then` is the time of `words_then`; both lists have the same words.

    `changed` are those of them that are in more, or fewer, of its documents than before, beyond chance (95 %).

    POST /api/topics/ID ``{"name": "..."}`` renames it and returns a `TopicRef`.
    """

    topic: TopicRef
    level: Level
    times: list[float]
    n_documents: list[int]
    curve: Band
    words_now: list[WordShare]
    words_then: list[WordShare]
    changed: list[str]
    then: float
    documents: list[DocumentRow]
    lineage: list[LineageStep]
    alarms: list[Alarm]


class WordList(TypedDict):
    """GET /api/words?prefix=&at=: words with this beginning and their number of documents, most frequent first.

    Without a prefix, the drifting words.
    """

    words: list[tuple[str, int]]
    drifting: list[DriftingWord]


class WordPage(TypedDict):
    """GET /api/words/curves?word=a&word=b&at=&span= (up to five words): their curves on the same periods."""

    level: Level
    times: list[float]
    totals: list[int]
    words: list[WordCurve]
    unknown: list[str]


class Facet(TypedDict):
    """A value that documents can be filtered by, and the number of found documents that have it."""

    value: str
    name: str
    n: int


class DocumentList(TypedDict):
    """GET /api/documents?q=&topic=&label=&source=&from=&to=&sort=newest|best&after=CURSOR&at=.

    `total` is at most 10,000, and `is_capped` is then true. `next` is the cursor of the next page, None at the end.
    `facets` has the keys "topic", "label", "source"; the histogram counts found documents (of the capped ones) by
    period. `note` explains a result that is incomplete, such as "best" with too many hits.
    """

    documents: list[DocumentRow]
    total: int
    is_capped: bool
    next: str | None
    facets: dict[str, list[Facet]]
    level: Level
    times: list[float]
    counts: list[int]
    note: str | None


class SpokenWord(TypedDict):
    """A word of a document and how strongly it speaks for the document's topic (a log ratio; negative: against it)."""

    word: str
    weight: float


class TopicPart(TypedDict):
    """A topic of a document with its share of the document."""

    topic: TopicRef
    share: float


class LabelEvent(TypedDict):
    """A label that was given; never overwritten, a later one of the same person replaces it. None: withdrawn."""

    number: int
    key: str
    label: str | None
    by: str
    time: float


class DocumentPage(TypedDict):
    """GET /api/documents/KEY. DELETE removes text, index and id; the answer is `Deleted`."""

    key: str
    id: str | None
    time: float
    arrived: float
    source: str
    text: str
    topics: list[TopicPart]
    spoke: list[SpokenWord]
    label: str | None
    guess: str | None
    guess_probability: float | None
    labels: list[LabelEvent]


class Deleted(TypedDict):
    """The document is removed; `note` says that what models learned of it stays until the next refit."""

    key: str
    note: str


class AlarmList(TypedDict):
    """GET /api/alarms?state=on|off&from=&to=&after=ID: newest first. `calendar` has a row per day with alarms.

    POST /api/alarms/ID ``{"acknowledge": true}`` or ``{"mute_for": SECONDS}`` or ``{"mute_for": 0}`` returns the
    `Alarm`.
    """

    alarms: list[Alarm]
    next: int | None
    calendar: list[AlarmDay]


class AlarmDay(TypedDict):
    """A day, the number of alarms raised on it, and their highest probability."""

    day: float
    n: int
    highest: float
