"""Alarms: bursts of words and topics as rows with their evidence, on at p ≥ 0.9, off at p < 0.5."""

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
"""Share of the recent documents with a new word that contain a word of an alarm, from which on it joins the alarm."""
REOPENED = 72 * HOUR
"""An alarm whose word bursts again within this time is continued, not raised again."""
KNOWN = 30 * REOPENED
"""Time for which alarms that ended are kept in memory."""
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
        """The words of the alarm, the first first."""
        found: list[str] = json.loads(self.evidence)["words"]
        return found


class AlarmBook:
    """The alarms that are on, or were lately, by word and topic; changes are written with the batch that caused them.

    Words that are in the same documents belong to one alarm: a storm has a name, and brings floods.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.load()

    def load(self) -> None:
        """Read the alarms that are on, and those that ended lately."""
        newest = self._database.execute("SELECT coalesce(max(raised), 0), coalesce(max(id), 0) FROM alarms")[0]
        self._last_id = int(newest[1])
        rows = self._database.execute(
            f"SELECT {COLUMNS} FROM alarms WHERE state = 'on' OR raised > ? ORDER BY id",
            (int(newest[0]) - KNOWN,),
        )
        self._rows = {row.id: row for row in (AlarmRow(*row) for row in rows)}
        self._bursting: dict[int, set[str]] = {
            row.id: set(row.words) if row.state == "on" else set() for row in self._rows.values() if row.kind == "word"
        }

    def replaced(self, row: AlarmRow) -> None:
        """Note a row that was changed by a person."""
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
        """Apply the bursts of a batch, write the changed rows, and return those that began, ended or gained a word."""
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
        for found in topic_events:
            topic_id = int(learner.ids[found.topic])
            row = self._topic_event(found, topic_id, learner, times[found.place], batch)
            if row is not None:
                self._rows[row.id] = changed[row.id] = row
        for row in (quiet | changed).values():
            self._write(row)
        return list(changed.values())

    def _forget(self, now: int) -> None:
        """Forget alarms that ended so long ago that nothing continues them; they stay in the store."""
        for row in list(self._rows.values()):
            if row.state == "off" and row.ended is not None and now - row.ended > KNOWN:
                del self._rows[row.id]
                self._bursting.pop(row.id, None)

    def _word_event(
        self, learner: Learner, event: WordBurstEvent, word: str, now: int, batch: int
    ) -> tuple[AlarmRow | None, bool]:
        own = self._alarm_of(word, now)
        if event.kind == "begins":
            joined = own if own is not None else self._joined(learner, event.slot)
            if joined is None:
                return self._raised(event, word, now, batch), True
            row = self._rows[joined]
            self._bursting[joined].add(word)
            evidence = json.loads(row.evidence)
            evidence["words"] = list(dict.fromkeys([*evidence["words"], word]))[:8]
            highest = max(row.highest, event.probability)
            return row._replace(state="on", ended=None, evidence=json.dumps(evidence), highest=highest), True
        if own is None:
            return None, False
        row = self._rows[own]
        if event.kind == "ends":
            self._bursting[own].discard(word)
            if self._bursting[own] or row.state == "off":
                return None, False
            return row._replace(state="off", ended=now, probability=event.probability), True
        if row.state != "on" or (row.word != word and row.word in self._bursting[own]):
            return None, False
        highest = max(row.highest, event.probability)
        return row._replace(probability=event.probability, highest=highest, ratio=event.ratio), False

    def _alarm_of(self, word: str, now: int) -> int | None:
        """Return the newest alarm of a word that is on, or ended lately."""
        for number in sorted(self._bursting, reverse=True):
            row = self._rows[number]
            if word in row.words and (row.state == "on" or now - (row.ended or 0) <= REOPENED):
                return number
        return None

    def _joined(self, learner: Learner, slot: int) -> int | None:
        """Return the alarm whose words are in the same documents as a new word."""
        for number in sorted(self._bursting, reverse=True):
            row = self._rows[number]
            if row.state == "on":
                slots = learner.slots_of(row.words)
                if slots and max(learner.overlap(slot, slots), learner.overlap_of(slots, slot)) >= TOGETHER:
                    return number
        return None

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
    ) -> AlarmRow | None:
        own = [row for row in self._rows.values() if row.kind == "topic" and row.topic == topic]
        latest = max(own, key=lambda row: row.id) if own else None
        if event.kind == "ends":
            if latest is None or latest.state == "off":
                return None
            return latest._replace(state="off", ended=now, probability=event.probability)
        if latest is not None and (latest.state == "on" or now - (latest.ended or 0) <= REOPENED):
            highest = max(latest.highest, event.probability)
            return latest._replace(state="on", ended=None, probability=event.probability, highest=highest)
        self._last_id += 1
        documents = self._database.execute(
            "SELECT key FROM documents WHERE topic = ? ORDER BY key DESC LIMIT ?", (topic, MOST_DOCUMENTS)
        )
        rate = self._documents_per_day(now) * float(
            learner.watch.intensity[event.topic] / learner.watch.intensity.sum()
        )
        evidence = {
            "words": learner.top_words(6)[event.topic],
            "documents": [int(key) for (key,) in documents],
            "expected": rate / max(event.ratio, 1e-9),
            "seen": rate,
        }
        numbers = event.probability, event.probability, event.ratio
        return AlarmRow(
            self._last_id, "topic", topic, None, "on", now, now, None, *numbers, None, None, json.dumps(evidence), batch
        )

    def _documents_per_day(self, now: int) -> float:
        low, high = first_key(now - 24 * HOUR), first_key(now)
        return float(
            self._database.execute("SELECT count(*) FROM documents WHERE key BETWEEN ? AND ?", (low, high))[0][0]
        )

    def _write(self, row: AlarmRow) -> None:
        self._database.execute("DELETE FROM alarms WHERE id = ?", (row.id,))
        marks = ", ".join("?" * len(row))
        self._database.execute(f"INSERT INTO alarms ({COLUMNS}) VALUES ({marks})", row)
