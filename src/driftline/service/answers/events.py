"""Server-sent events, GET /api/events?after=BATCH.

`event:` is the kind of event in lower case, `data:` its JSON, `id:` the batch.
"""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from driftline.service.answers.desk import Classifier
from driftline.service.answers.parts import Alarm, DocumentRow, DriftingWord, Level, TopicRef
from driftline.service.answers.screens import LabelEvent, LineageStep


class Hello(TypedDict):
    """``event: hello``: the first event of a connection."""

    batch: int
    now: float
    version: str


class Delta(TypedDict):
    """``event: delta``, at most five per second: the changes since the last one.

    `periods` are the changed periods, which replace those with the same start: the sum of shares of every topic id, and
    the number `n` of documents. `newest` are up to ten documents. `drifting`, `headline`, `alarms` and `n_on`, as in
    the overview, are sent at most once in two seconds. `sent` is the server's time of sending, `arrived` the arrival
    time of the oldest document in the delta.
    """

    batch: int
    now: float
    n_documents: int
    level: Level
    periods: list[PeriodDelta]
    newest: list[DocumentRow]
    sent: float
    arrived: float | None
    headline: NotRequired[str]
    alarms: NotRequired[list[Alarm]]
    n_on: NotRequired[int]
    drifting: NotRequired[list[DriftingWord]]


class PeriodDelta(TypedDict):
    """The current state of a period: its start, its number of documents, and the sum of shares by topic id."""

    level: Level
    start: float
    n: int
    sums: dict[str, float]


class AlarmEvent(TypedDict):
    """``event: alarm``: an alarm was raised, changed or ended."""

    alarm: Alarm


class LabelGiven(TypedDict):
    """``event: label``: some person gave a label."""

    event: LabelEvent


class Learned(TypedDict):
    """``event: learned``: the classifier learned the pending labels."""

    classifier: Classifier


class Swapped(TypedDict):
    """``event: swapped``: a refitted model, or the previous one again, is in use; reload topics."""

    version: int
    lineage: list[LineageStep]


class Renamed(TypedDict):
    """``event: renamed``: a topic has a new name."""

    topic: TopicRef


class Gone(TypedDict):
    """``event: deleted``: a document was removed."""

    key: str


class Gap(TypedDict):
    """``event: gap``: events were omitted because this reader was too slow; reload the current state."""

    batch: int


class Bye(TypedDict):
    """``event: bye``: the service is stopping; reconnect after `retry` seconds."""

    retry: float
