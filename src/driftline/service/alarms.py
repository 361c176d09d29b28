"""Alarms: bursts of words and topics, stored with their evidence; on at p ≥ 0.9, off at p < 0.5."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from driftline.service.learning.hourly_bursts import WordBurstEvent
from driftline.service.learning.learner import ClosedHour, Learner
from driftline.service.learning.topic_watch import TopicBurstEvent
from driftline.service.store.database import Database
from driftline.service.store.keys import HOUR, first_key

TOGETHER = 0.2
"""Minimum share of common documents, among recent ones, at which a bursting word joins an existing alarm."""
REOPENED = 72 * HOUR
"""Maximum time after which an alarm whose word bursts again is continued instead of raised again."""
KNOWN = 30 * REOPENED
"""Time for which ended alarms are kept in memory."""
MOST_DOCUMENTS = 5
COLUMNS = (
    "id, kind, topic, word, state, start, raised, ended, probability, highest, ratio, "
    "acknowledged, muted, evidence, batch"
)


class AlarmRow(NamedTuple):
    """A row of the table of alarms; times in microseconds, the evidence as JSON."""

    id: int
    kind: str
    topic: int | None
    word: str | None
    state: str
    start: int
    raised: int
    ended: int | None
    probability: float
    highest: float
    ratio: float
    acknowledged: str | None
    muted: int | None
    evidence: str
    batch: int

    @property
    def words(self) -> list[str]:
        """The words of the alarm, in the order in which they joined it."""
        found: list[str] = json.loads(self.evidence)["words"]
        return found

    @property
    def bursting(self) -> list[str]:
        """The words of the alarm that burst; an alarm may have more than it lists."""
        evidence = json.loads(self.evidence)
        found: list[str] = evidence.get("bursting", evidence["words"])  # the fallback is for earlier versions
        return found

    @property
    def ratio_when_raised(self) -> float:
        """The observed rate over the expected one when the alarm was raised; `ratio` falls towards 1 as it ends."""
        evidence = json.loads(self.evidence)
        return float(evidence["seen"] / max(evidence["expected"], 1e-9))


class AlarmBook:
    """The alarms that are on or ended recently; changes are written with the batch that caused them.

    Words that occur in the same documents belong to one alarm, such as the name of a storm and "floods".
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.load()

    def load(self) -> None:
        """Read the alarms that are on, and those that ended recently."""
        newest = self._database.execute("SELECT coalesce(max(raised), 0), coalesce(max(id), 0) FROM alarms")[0]
        self._last_id = int(newest[1])
        rows = self._database.execute(
            f"SELECT {COLUMNS} FROM alarms WHERE state = 'on' OR raised > ? ORDER BY id",
            (int(newest[0]) - KNOWN,),
        )
        self._rows = {row.id: row for row in (AlarmRow(*row) for row in rows)}
        self._bursting: dict[int, set[str]] = {
            row.id: set(row.bursting) if row.state == "on" else set()
            for row in self._rows.values()
            if row.kind == "word"
        }

    def replaced(self, row: AlarmRow) -> None:
        """Replace a row that a person changed."""
        if row.id in self._rows:
            self._rows[row.id] = row

    def update(
        self,
        learner: Learner,
        hours: Sequence[ClosedHour],
        topic_events: Sequence[TopicBurstEvent],
        times: Sequence[int],
        batch: int,
    ) -> list[AlarmRow]:
        """Apply the bursts of a batch, write changed rows, and return the alarms that began, ended or gained a word."""
        changed: dict[int, AlarmRow] = {}
        quiet: dict[int, AlarmRow] = {}
        if hours:
            self._forget((hours[-1].hour + 1) * HOUR)
        for hour in hours:
            for event in hour.events:
                word = learner.words.words_of([event.slot])[0]  # type: ignore[arg-type]
                row, is_news = self._word_event(learner, event, word, (hour.hour + 1) * HOUR, batch)
                if row is not None:
                    self._rows[row.id] = row
                    (changed if is_news else quiet)[row.id] = row
            for row in self._lost(learner, hour):
                self._rows[row.id] = row
                (changed if row.state == "off" else quiet)[row.id] = row
        for found in topic_events:
            topic_id = int(learner.ids[found.topic])
            row, is_news = self._topic_event(found, topic_id, learner, times[found.place], batch)
            if row is not None:
                self._rows[row.id] = row
                (changed if is_news else quiet)[row.id] = row
        for number in quiet | changed:
            self._write(self._rows[number])
        return [self._rows[number] for number in changed]

    def swapped(self, learner: Learner, now: int) -> list[AlarmRow]:
        """End the alarms of topics that do not burst in the models of a refit, and return them."""
        bursting = set(learner.ids[learner.watch.bursting > 0].tolist())
        ended = [
            row._replace(state="off", ended=max(now, row.raised))
            for row in self._rows.values()
            if row.kind == "topic" and row.state == "on" and row.topic not in bursting
        ]
        for row in ended:
            self._rows[row.id] = row
            self._write(row)
        return ended

    def _forget(self, now: int) -> None:
        """Remove alarms that can no longer be continued from memory; they stay in the store."""
        for row in list(self._rows.values()):
            if row.state == "off" and row.ended is not None and now - row.ended > KNOWN:
                del self._rows[row.id]
                self._bursting.pop(row.id, None)

    def _word_event(
        self, learner: Learner, event: WordBurstEvent, word: str, now: int, batch: int
    ) -> tuple[AlarmRow | None, bool]:
        own = next((number for number, words in self._bursting.items() if word in words), None)
        if event.kind == "ends":
            return (None, False) if own is None else self._without(own, {word}, event.probability, now)
        if own is None:
            own = self._alarm_of(word, event.since * HOUR, now)
            joined = own if own is not None else self._joined(learner, event.slot)
            if joined is None:
                return self._raised(event, word, now, batch), True
            row = self._rows[joined]
            self._bursting[joined].add(word)
            words = list(dict.fromkeys([*row.words, word]))[:8]
            row = self._with_evidence(row._replace(state="on", ended=None), words=words)
            return row._replace(highest=max(row.highest, event.probability)), True
        row = self._rows[own]
        if row.word != word and row.word in self._bursting[own]:
            return None, False
        highest = max(row.highest, event.probability)
        return row._replace(probability=event.probability, highest=highest, ratio=event.ratio), False

    def _with_evidence(self, row: AlarmRow, **changes: object) -> AlarmRow:
        """Return a row whose evidence has the words that burst, and other changes."""
        evidence = {**json.loads(row.evidence), **changes, "bursting": sorted(self._bursting[row.id])}
        return row._replace(evidence=json.dumps(evidence))

    def _without(self, number: int, words: set[str], probability: float, now: int) -> tuple[AlarmRow, bool]:
        """Return an alarm of which some words no longer burst; it ends with the last of them."""
        self._bursting[number] -= words
        row = self._with_evidence(self._rows[number])
        if self._bursting[number]:
            return row, False
        return row._replace(state="off", ended=now, probability=probability), True

    def _lost(self, learner: Learner, hour: ClosedHour) -> list[AlarmRow]:
        """Return the alarms with words whose burst is no longer tracked, such as rare words that were removed."""
        slots = [event.slot for event in hour.events if event.kind != "ends"]
        followed = set(learner.words.words_of(slots))  # type: ignore[arg-type]
        lost = {number: words - followed for number, words in self._bursting.items()}
        now = (hour.hour + 1) * HOUR
        return [
            self._without(number, words, self._rows[number].probability, now)[0]
            for number, words in lost.items()
            if words
        ]

    def _alarm_of(self, word: str, start: int, now: int) -> int | None:
        """Return the newest alarm of a word that is on, ended recently, or ended after the start of a burst."""
        for number in sorted(self._bursting, reverse=True):
            row = self._rows[number]
            if word in row.words and (row.state == "on" or min(start, now - REOPENED) <= (row.ended or 0)):
                return number
        return None

    def _joined(self, learner: Learner, slot: int) -> int | None:
        """Return the alarm whose words occur in the same documents as a new word."""
        on = [number for number in sorted(self._bursting, reverse=True) if self._rows[number].state == "on"]
        shares = learner.together(slot, [self._rows[number].words for number in on])
        return next((number for number, share in zip(on, shares) if share >= TOGETHER), None)

    def _raised(self, event: WordBurstEvent, word: str, now: int, batch: int) -> AlarmRow:
        self._last_id += 1
        start = event.since * HOUR
        days = max((now - start) / (24 * HOUR), 1 / 24)
        condition, values = self._database.match([word])
        lowest, highest = first_key(start), first_key(now) + (1 << 24)
        documents = self._database.execute(
            f"SELECT key FROM documents WHERE {condition} AND key BETWEEN ? AND ? ORDER BY key DESC LIMIT ?",
            (*values, lowest, highest, MOST_DOCUMENTS),
        )
        evidence = {
            "words": [word],
            "bursting": [word],
            "documents": [int(key) for (key,) in documents],
            "expected": event.expected / days,
            "seen": event.seen / days,
        }
        self._bursting[self._last_id] = {word}
        numbers = event.probability, event.probability, event.ratio
        return AlarmRow(
            self._last_id, "word", None, word, "on", start, now, None, *numbers, None, None, json.dumps(evidence), batch
        )

    def _topic_event(
        self, event: TopicBurstEvent, topic: int, learner: Learner, now: int, batch: int
    ) -> tuple[AlarmRow | None, bool]:
        own = [row for row in self._rows.values() if row.kind == "topic" and row.topic == topic]
        latest = max(own, key=lambda row: row.id) if own else None
        if event.kind == "ends":
            if latest is None or latest.state == "off":
                return None, False
            return latest._replace(state="off", ended=now, probability=event.probability, ratio=event.ratio), True
        # A burst that began while refitted models were catching up continues here, but was never reported
        if latest is not None and (latest.state == "on" or now - (latest.ended or 0) <= REOPENED):
            highest = max(latest.highest, event.probability)
            row = latest._replace(state="on", ended=None, probability=event.probability, highest=highest)
            return row._replace(ratio=event.ratio), latest.state == "off"
        self._last_id += 1
        documents = self._database.execute(
            "SELECT key FROM documents WHERE topic = ? ORDER BY key DESC LIMIT ?", (topic, MOST_DOCUMENTS)
        )
        rate = self._documents_per_day(now) * float(learner.watch.recent_share[event.topic])
        evidence = {
            "words": learner.top_words(6)[event.topic],
            "documents": [int(key) for (key,) in documents],
            "expected": rate / max(event.ratio, 1e-9),
            "seen": rate,
        }
        numbers = event.probability, event.probability, event.ratio
        row = AlarmRow(
            self._last_id, "topic", topic, None, "on", now, now, None, *numbers, None, None, json.dumps(evidence), batch
        )
        return row, True

    def _documents_per_day(self, now: int) -> float:
        low, high = first_key(now - 24 * HOUR), first_key(now)
        return float(
            self._database.execute("SELECT count(*) FROM documents WHERE key BETWEEN ? AND ?", (low, high))[0][0]
        )

    def _write(self, row: AlarmRow) -> None:
        self._database.execute("DELETE FROM alarms WHERE id = ?", (row.id,))
        marks = ", ".join("?" * len(row))
        self._database.execute(f"INSERT INTO alarms ({COLUMNS}) VALUES ({marks})", row)
