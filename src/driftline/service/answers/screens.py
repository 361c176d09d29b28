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

    With `at`, all parts describe that time (time travel); `at` in the answer is None for the present. `now` is the time
    of the newest document (or `at`). `batch` is the number of the last batch included; events continue after it.
    `n_documents`, `n_topics` and `n_on` count all documents, the topics of the model, and all alarms that are on;
    `river` and `alarms` may contain only some.
    """

    now: float
    at: float | None
    first: float | None
    batch: int
    n_documents: int
    n_topics: int
    n_on: int
    headline: str
    river: River
    alarms: list[Alarm]
    drifting: list[DriftingWord]
    newest: list[DocumentRow]


class TopicList(TypedDict):
    """GET /api/topics: all topics of the current model with their recent curves, most frequent first."""

    now: float
    level: Level
    times: list[float]
    topics: list[TopicCurve]


class WordShare(TypedDict):
    """A word of a topic: its share of the topic's words."""

    word: str
    share: float


class LineageStep(TypedDict):
    """The effect of a refit on a topic: "kept", "born", "died", "split" or "merged", with the ids before and after."""

    time: float
    kind: str
    old: list[int]
    new: list[int]
    overlap: float


class TopicPage(TypedDict):
    """GET /api/topics/ID?at=&span=: one topic. `then` is the time of `words_then`; both lists have the same words.

    `changed` are the words whose number of documents in the topic changed significantly (95 %). `present` is whether
    the topic is one of the current model.

    POST /api/topics/ID ``{"name": "..."}`` renames it and returns a `TopicRef`.
    """

    topic: TopicRef
    present: bool
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
    """GET /api/words?prefix=&at=: words with this prefix and their number of documents, most frequent first.

    Without a prefix, only the drifting words are returned.
    """

    words: list[tuple[str, int]]
    drifting: list[DriftingWord]


class WordPage(TypedDict):
    """GET /api/words/curves?word=a&word=b&at=&span=: the curves of up to five words over the same periods."""

    level: Level
    times: list[float]
    totals: list[int]
    words: list[WordCurve]
    unknown: list[str]


class Facet(TypedDict):
    """A value by which documents can be filtered, and its number of matches."""

    value: str
    name: str
    n: int


class DocumentList(TypedDict):
    """GET /api/documents?q=&topic=&label=&source=&from=&to=&sort=newest|best&after=CURSOR&at=.

    `total` is at most 10,000, and `is_capped` is then true. `next` is the cursor of the next page, None at the end.
    `facets` has the keys "topic", "label", "source"; `counts` is the histogram of the matches (of the newest 10,000) by
    period. `note` explains an incomplete result, such as "best" with too many matches.
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
    """A word of a document and its support for the document's topic: a log ratio, negative if it counts against it."""

    word: str
    weight: float


class TopicPart(TypedDict):
    """A topic of a document with its share of the document."""

    topic: TopicRef
    share: float


class LabelEvent(TypedDict):
    """A label event. Events are never overwritten; the last one of a person counts. None withdraws a label."""

    number: int
    key: str
    label: str | None
    by: str
    time: float


class DocumentPage(TypedDict):
    """GET /api/documents/KEY. DELETE removes text, index entries and id, and returns `Deleted`."""

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
    """A removed document; `note` says that its effect on the models remains until the next refit."""

    key: str
    note: str


class AlarmList(TypedDict):
    """GET /api/alarms?state=on|off&from=&to=&after=ID: newest first. `calendar` has a row per day with alarms.

    `n_on` is the number of all alarms that are on now.

    POST /api/alarms/ID ``{"acknowledge": true}`` or ``{"mute_for": SECONDS}`` or ``{"mute_for": 0}`` returns the
    `Alarm`.
    """

    alarms: list[Alarm]
    next: int | None
    n_on: int
    calendar: list[AlarmDay]


class AlarmDay(TypedDict):
    """A day, the number of alarms raised on it, and their highest probability."""

    day: float
    n: int
    highest: float
