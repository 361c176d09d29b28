"""Server-sent events, GET /api/events?after=BATCH.

`event:` is the name of the kind in lower case, `data:` its JSON, `id:` the batch.
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
    """``event: delta``, at most five per second: what arrived since the last one.

    `periods` are the periods that changed, whole (they replace those with the same start): for every topic id the sum
    of its shares over the documents, and `n`. `newest` are up to ten documents. `drifting` and `headline` come at most
    once in two seconds, with `alarms`: those that are on, as the overview has them. `sent` is the server's clock when
    it was sent, `arrived` that of the oldest document in it.
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
    drifting: NotRequired[list[DriftingWord]]


class PeriodDelta(TypedDict):
    """A period as it is now: its start, its number of documents, and the sum of shares by topic id."""

    level: Level
    start: float
    n: int
    sums: dict[str, float]


class AlarmEvent(TypedDict):
    """``event: alarm``: an alarm was raised, changed or ended."""

    alarm: Alarm


class LabelGiven(TypedDict):
    """``event: label``: a label was given, by anybody."""

    event: LabelEvent


class Learned(TypedDict):
    """``event: learned``: the classifier learned the pending labels."""

    classifier: Classifier


class Swapped(TypedDict):
    """``event: swapped``: a refitted model took over (or the old one came back); reload topics."""

    version: int
    lineage: list[LineageStep]


class Renamed(TypedDict):
    """``event: renamed``: a topic has a new name."""

    topic: TopicRef


class Gone(TypedDict):
    """``event: deleted``: a document was removed."""

    key: str


class Gap(TypedDict):
    """``event: gap``: this reader was too slow, events were left out; load the present state again."""

    batch: int


class Bye(TypedDict):
    """``event: bye``: the service stops; connect again after `retry` seconds."""

    retry: float
