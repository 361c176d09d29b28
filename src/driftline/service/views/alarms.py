"""The alarms as they are shown: sentence, evidence, calendar."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime

import numpy as np

from driftline.service.alarms import COLUMNS, AlarmRow
from driftline.service.answers import Alarm, AlarmList, TopicRef
from driftline.service.store.database import Database, Row
from driftline.service.store.keys import DAY, HOUR, first_key, hour_start
from driftline.service.views.shown_rows import document_row, listed_rows, sure, topic_refs

LISTED = 15
"""Alarms of an answer, so that it stays below 50 KB."""
MOST_POINTS = 100
"""Points of the curve of an alarm."""


def alarm_list(
    database: Database, *, state: str | None, first: int | None, last: int | None, after: int | None
) -> AlarmList:
    """Return alarms, newest first, and the number of alarms of every day."""
    conditions, values = ["1 = 1"], []
    for condition, value in (("state = ?", state), ("raised >= ?", first), ("raised <= ?", last), ("id < ?", after)):
        if value is not None:
            conditions.append(condition)
            values.append(value)
    where = " AND ".join(conditions)
    rows = database.execute(
        f"SELECT {COLUMNS} FROM alarms WHERE {where} ORDER BY id DESC LIMIT ?", (*values, LISTED + 1)
    )
    shown = alarms_shown(database, [AlarmRow(*row) for row in rows[:LISTED]])
    days: Counter[int] = Counter()
    highest: dict[int, float] = {}
    for raised, probability in database.execute("SELECT raised, highest FROM alarms ORDER BY id DESC LIMIT 10000"):
        day = raised // DAY * DAY
        days[day] += 1
        highest[day] = max(highest.get(day, 0.0), probability)
    calendar = [{"day": day / 1e6, "n": days[day], "highest": round(highest[day], 4)} for day in sorted(days)]
    following = rows[LISTED - 1][0] if len(rows) > LISTED else None
    return {"alarms": shown, "next": following, "calendar": calendar}  # type: ignore[typeddict-item]


def alarms_at(database: Database, at: int | None, most: int = 8) -> list[Alarm]:
    """Return the alarms that are on now, or were on at a time, without their documents and the times of their curves.

    A card shows the words and the shape of the curve.
    """
    if at is None:
        sql, values = "state = 'on'", ()
    else:
        sql, values = "raised <= ? AND (ended IS NULL OR ended > ?)", (at, at)
    rows = database.execute(f"SELECT {COLUMNS} FROM alarms WHERE {sql} ORDER BY raised DESC LIMIT ?", (*values, most))
    found = [AlarmRow(*row) for row in rows]
    if at is not None:
        found = [row._replace(state="on", ended=None) for row in found]
    refs = topic_refs(database)
    shown = [_shown(database, row, refs, {}) for row in found]
    for alarm in shown:
        alarm["evidence"]["times"] = []
    return shown


def one_alarm(database: Database, number: int) -> Alarm | None:
    """Return an alarm by its number."""
    rows = database.execute(f"SELECT {COLUMNS} FROM alarms WHERE id = ?", (number,))
    return alarms_shown(database, [AlarmRow(*rows[0])])[0] if rows else None


def alarms_shown(database: Database, rows: list[AlarmRow]) -> list[Alarm]:
    """Return rows as they are shown."""
    refs = topic_refs(database)
    keys = {key for row in rows for key in json.loads(row.evidence)["documents"]}
    documents = listed_rows(database, sorted(keys))
    return [_shown(database, row, refs, documents) for row in rows]


def _shown(database: Database, row: AlarmRow, refs: dict[int, TopicRef], documents: dict[int, Row]) -> Alarm:
    evidence = json.loads(row.evidence)
    name = refs[row.topic]["name"] if row.topic in refs else ", ".join(evidence["words"][:3])
    times, values = _course(database, row)
    return {
        "id": row.id,
        "kind": "topic" if row.kind == "topic" else "word",
        "topic": row.topic,
        "word": row.word,
        "name": name,
        "headline": sentence(row, name, evidence),
        "state": "on" if row.state == "on" else "off",
        "start": row.start / 1e6,
        "raised": row.raised / 1e6,
        "ended": None if row.ended is None else row.ended / 1e6,
        "probability": round(row.probability, 4),
        "highest": round(row.highest, 4),
        "ratio": round(row.ratio, 2),
        "acknowledged": row.acknowledged,
        "muted_until": None if row.muted is None else row.muted / 1e6,
        "evidence": {
            "words": evidence["words"],
            "documents": [
                document_row(documents[key], evidence["words"]) for key in evidence["documents"] if key in documents
            ],
            "expected": round(evidence["expected"], 3),
            "seen": round(evidence["seen"], 3),
            "times": times,
            "values": values,
        },
    }


def sentence(row: AlarmRow, name: str, evidence: dict[str, object]) -> str:
    """Return the alarm as a sentence."""
    since = f"{datetime.fromtimestamp(row.start / 1e6, UTC):%-d %b %Y %H:%M}"
    times = _times(row.ratio)
    if row.state == "off":
        ended = "" if row.ended is None else f" to {datetime.fromtimestamp(row.ended / 1e6, UTC):%-d %b %Y %H:%M}"
        return f"{name.capitalize()}: more frequent than usual from {since}{ended}"
    return f"{name.capitalize()}: {times} as frequent as usual since {since}, {sure(row.probability)} certain"


def _times(ratio: float) -> str:
    """Return a ratio in words.

    >>> _times(1.9), _times(3.2), _times(17.4)
    ('twice', '3 times', '17 times')
    """
    rounded = max(2, round(ratio))
    return "twice" if rounded == 2 else f"{rounded} times"


def _course(database: Database, row: AlarmRow) -> tuple[list[float], list[float]]:
    """Return the number of documents per day, or per hour of a short alarm, around an alarm of a word."""
    if row.word is None:
        return [], []
    end = row.ended if row.ended is not None else row.raised + DAY
    step = HOUR if end - row.start < 3 * DAY else DAY
    begin = (row.start - 7 * (DAY if step == DAY else 6 * HOUR)) // step * step
    found = database.matches_per_hour([row.word], first_key(begin), first_key(end) + (1 << 24))
    starts = np.arange(begin, end + step, step)[:MOST_POINTS]
    hours = hour_start(np.array([hour for hour, _ in found], dtype=np.int64))
    places = np.clip((hours - begin) // step, 0, len(starts) - 1)
    counts = np.bincount(places, [n for _, n in found], minlength=len(starts))
    return (starts / 1e6).tolist(), counts.astype(float).tolist()
