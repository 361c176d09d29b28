"""The alarms as they are shown: sentence, evidence, calendar."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime

import numpy as np

from driftline.service.alarms import COLUMNS, AlarmRow
from driftline.service.answers import Alarm, AlarmList, TopicRef
from driftline.service.store.batch_rows import newest_time
from driftline.service.store.database import Database, Row
from driftline.service.store.keys import DAY, HOUR, first_key, hour_start
from driftline.service.views.shown_rows import document_row, listed_rows, sure, topic_refs
from driftline.service.writer import microseconds

LISTED = 15
"""Maximum number of alarms in an answer, which keeps it below 50 KB."""
MOST_POINTS = 100
"""Maximum number of points of the curve of an alarm."""
HOURLY = 24.0
"""Minimum number of documents per day at which a short alarm is shown by hour: below it, most hours have none."""


def alarm_list(
    database: Database, *, state: str | None, first: int | None, last: int | None, after: int | None
) -> AlarmList:
    """Return alarms, newest first, and the number of alarms per day."""
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
    n_on = alarms_on(database, None)
    return {"alarms": shown, "next": following, "n_on": n_on, "calendar": calendar}  # type: ignore[typeddict-item]


def _on_at(at: int | None) -> tuple[str, tuple[int, ...]]:
    """Return the condition of alarms that are on now, or were on at a time, with its values."""
    return ("state = 'on'", ()) if at is None else ("raised <= ? AND (ended IS NULL OR ended > ?)", (at, at))


def alarms_on(database: Database, at: int | None) -> int:
    """Return the number of alarms that are on now, or were on at a time."""
    condition, values = _on_at(at)
    return int(database.execute(f"SELECT count(*) FROM alarms WHERE {condition}", values)[0][0])


def alarms_at(database: Database, at: int | None, most: int = 8) -> list[Alarm]:
    """Return the alarms that are on now, or were on at a time, without documents and without the times of the curves.

    A card shows only the words and the shape of the curve. For an earlier time, the rate is that when the alarm was
    raised, and the probability is the highest: later ones belong to the end of the alarm.
    """
    condition, values = _on_at(at)
    rows = database.execute(
        f"SELECT {COLUMNS} FROM alarms WHERE {condition} ORDER BY raised DESC LIMIT ?", (*values, most)
    )
    found = [AlarmRow(*row) for row in rows]
    if at is not None:
        found = [
            row._replace(state="on", ended=None, probability=row.highest, ratio=row.ratio_when_raised) for row in found
        ]
    refs = topic_refs(database)
    until = newest_time(database) if at is None else at
    shown = [_shown(database, row, refs, {}, until) for row in found]
    for alarm in shown:
        alarm["evidence"]["times"] = []
    return shown


def one_alarm(database: Database, number: int) -> Alarm | None:
    """Return the alarm with this number; None if it does not exist."""
    rows = database.execute(f"SELECT {COLUMNS} FROM alarms WHERE id = ?", (number,))
    return alarms_shown(database, [AlarmRow(*rows[0])])[0] if rows else None


def alarms_shown(database: Database, rows: list[AlarmRow], at: int | None = None) -> list[Alarm]:
    """Return rows as they are shown, the curves of alarms that are on up to now or up to a time."""
    refs = topic_refs(database)
    until = newest_time(database) if at is None else at
    keys = {key for row in rows for key in json.loads(row.evidence)["documents"]}
    documents = listed_rows(database, sorted(keys))
    return [_shown(database, row, refs, documents, until) for row in rows]


def _shown(
    database: Database, row: AlarmRow, refs: dict[int, TopicRef], documents: dict[int, Row], until: int
) -> Alarm:
    evidence = json.loads(row.evidence)
    name = refs[row.topic]["name"] if row.topic in refs else ", ".join(evidence["words"][:3])
    times, values = _course(database, row, evidence["seen"], until)
    is_muted = row.muted is not None and row.muted > microseconds()
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
        "muted_until": row.muted / 1e6 if is_muted and row.muted is not None else None,
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
    """Return a sentence that describes the alarm."""
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


def _course(database: Database, row: AlarmRow, per_day: float, until: int) -> tuple[list[float], list[float]]:
    """Return the number of documents per day, or per hour of a short and frequent alarm, around an alarm of a word.

    The curve ends with the alarm, or at `until` if the alarm is on, and has at most the last `MOST_POINTS` periods.
    """
    if row.word is None:
        return [], []
    end = row.ended if row.ended is not None else max(row.raised, until)
    step = HOUR if end - row.start < 3 * DAY and per_day >= HOURLY else DAY
    begin = (row.start - 7 * (DAY if step == DAY else 6 * HOUR)) // step * step
    begin = max(begin, (end // step - MOST_POINTS + 1) * step)
    found = database.matches_per_hour([row.word], first_key(begin), first_key(end) + (1 << 24))
    starts = np.arange(begin, end + 1, step)
    hours = hour_start(np.array([hour for hour, _ in found], dtype=np.int64))
    places = np.clip((hours - begin) // step, 0, len(starts) - 1)
    counts = np.bincount(places, [n for _, n in found], minlength=len(starts))
    return (starts / 1e6).tolist(), counts.astype(float).tolist()
