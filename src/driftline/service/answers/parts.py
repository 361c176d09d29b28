"""Parts of several answers: topics, curves, documents, alarms, drifting words."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

Level = Literal["hour", "day", "month"]
"""Length of the periods of a curve, chosen so that a curve has at most 600 points."""


class Problem(TypedDict):
    """An error: a description with advice, and a short fixed name such as ``"too_large"``."""

    error: str
    detail: str


class Session(TypedDict):
    """GET or POST /api/session: the name of the person, and the rights: "read", "send", "label", "admin".

    POST takes ``{"token": "..."}`` and sets the cookie; DELETE removes it.
    """

    name: str
    rights: list[str]
    version: str
    demo: bool


class TopicRef(TypedDict):
    """A reference to a topic; `id` and `colour` (an index into the palette) never change."""

    id: int
    name: str
    colour: int
    words: list[str]


class Band(TypedDict):
    """A curve with its band of 90 %."""

    values: list[float | None]
    low: list[float | None]
    high: list[float | None]


class TopicCurve(TopicRef, Band):
    """A topic with its share of the documents per period."""


class WordCurve(Band):
    """A word with the share of documents per period that contain it, and its bursts.

    Words that are not counted, such as "the", are found in the stored texts only. Before `known_since` the texts were
    removed, and the values are None.
    """

    word: str
    n_documents: list[int | None]
    known_since: float | None
    bursts: list[WordBurst]


class WordBurst(TypedDict):
    """An interval in which a word was more frequent than usual; `end` is None while it lasts.

    `ratio` is the observed rate over the expected one: now, or when the burst was reported if it has ended.
    """

    start: float
    end: float | None
    ratio: float
    weight: float


class DocumentRow(TypedDict):
    """A document in a list. `key` identifies it; every second part of `snippet` is a word that matches."""

    key: str
    id: str | None
    time: float
    source: str
    snippet: list[str]
    topic: int | None
    probability: float | None
    label: str | None


class Evidence(TypedDict):
    """The evidence of an alarm: characteristic words, up to five documents, the expected and the observed rate per day.

    `values` are the observed counts of the periods that start at `times`, from before the alarm to its end.
    """

    words: list[str]
    documents: list[DocumentRow]
    expected: float
    seen: float
    times: list[float]
    values: list[float]


class Alarm(TypedDict):
    """A burst of a topic or word: on at p ≥ 0.9, off at p < 0.5.

    `start` is the estimated start, `raised` the time of the document at which it was raised, `probability` the current
    one, `highest` the highest so far. `state` is "on" or "off". `acknowledged` is who did it, or None. `muted_until` is
    a time in the future, or None. `headline` is a whole sentence.
    """

    id: int
    kind: Literal["topic", "word"]
    topic: int | None
    word: str | None
    name: str
    headline: str
    state: Literal["on", "off"]
    start: float
    raised: float
    ended: float | None
    probability: float
    highest: float
    ratio: float
    acknowledged: str | None
    muted_until: float | None
    evidence: Evidence


class DriftingWord(TypedDict):
    """A word whose share changed: before, now, their ratio, and the probability of a change."""

    word: str
    before: float
    now: float
    ratio: float
    probability: float
    values: list[float | None]


class River(TypedDict):
    """The shares of all topics over time; the last period may be incomplete."""

    level: Level
    times: list[float]
    n_documents: list[int]
    topics: list[TopicCurve]
