"""The overview, now or at an earlier time: headline, river of topics, alarms, drifting words, newest documents."""

from __future__ import annotations

import threading
import time

import numpy as np

from driftline.service.answers import Alarm, DriftingWord, Overview, TopicCurve, TopicList
from driftline.service.learning.hourly_bursts import WARM_UP
from driftline.service.store.database import Database
from driftline.service.store.keys import DAY, first_key
from driftline.service.views.alarms import alarms_at, alarms_on
from driftline.service.views.drifting import drifting_words
from driftline.service.views.read_connections import Readers, TopicSeries, band, level_name, seconds
from driftline.service.views.shown_rows import LIST, document_row, newest_first, sure, topic_refs

NEWEST = 15
SPAN = 60 * DAY
"""Usual length of the river."""
RIVER_POINTS, RIVER_TOPICS = 100, 20
"""Maximum size of the river, which keeps the answer below 50 KB."""
LATE_PART = 4
"""Inverse of the share of a river, at its end, that counts twice in the order of its topics."""
FRESH = 2.0
"""Seconds for which the current drifting words are cached."""


class DriftCache:
    """The current drifting words, computed at most every two seconds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made = -FRESH
        self._words: list[DriftingWord] = []

    def get(self, readers: Readers, database: Database, now: int) -> list[DriftingWord]:
        """Return the words, from the cache if they are recent."""
        with self._lock:
            if time.monotonic() - self._made > FRESH:
                self._words = drifting_words(readers, database, now)
                self._made = time.monotonic()
            return self._words


def overview(readers: Readers, database: Database, cache: DriftCache, *, at: int | None, span: int) -> Overview:
    """Return the contents of the first screen."""
    writer = readers.writer
    batch, newest = writer.batch, writer.newest
    now = newest if at is None else min(at, newest or at)
    bounds = database.execute("SELECT min(start) FROM periods WHERE level = 0")[0]
    recent = min(writer.state.increments.topics, default=None)
    first = min((int(each) for each in (bounds[0], recent) if each is not None), default=now)
    series = readers.topic_series(database, max(first, now - span), now, at=at, most=RIVER_POINTS)
    alarms = alarms_at(database, at)
    drifting = cache.get(readers, database, now) if at is None else drifting_words(readers, database, now, at=at)
    # Before the river, monthly numbers are sufficient
    n_documents = (
        writer.n_documents if at is None else int(readers.topic_series(database, first, now, at=at, most=1).n.sum())
    )
    rows = database.execute(
        f"SELECT {LIST} FROM documents WHERE key < ? AND time <= ? ORDER BY key DESC LIMIT ?",
        (first_key(now) + (1 << 24), now, NEWEST),
    )
    return {
        "now": now / 1e6,
        "at": None if at is None else at / 1e6,
        "first": None if not n_documents else first / 1e6,
        "batch": batch,
        "n_documents": n_documents,
        "n_topics": n_topics(database, series, at),
        "n_on": alarms_on(database, at),
        "headline": headline(alarms, drifting, n_documents),
        "river": {
            "level": level_name(series.level),  # type: ignore[typeddict-item]
            "times": seconds(series.starts),
            "n_documents": series.n.tolist(),
            "topics": topic_curves(database, series)[:RIVER_TOPICS],
        },
        "alarms": alarms,
        "drifting": drifting,
        "newest": newest_first(map(document_row, rows)),
    }


def n_topics(database: Database, series: TopicSeries, at: int | None) -> int:
    """Return the number of topics of the model, or of those in the last documents up to a time."""
    if at is None:
        return int(database.execute("SELECT count(*) FROM topics WHERE present = 1")[0][0])
    filled = np.flatnonzero(series.n)
    return sum(bool(sums[filled[-1]] > 0) for sums in series.sums.values()) if len(filled) else 0


def topic_curves(database: Database, series: TopicSeries) -> list[TopicCurve]:
    """Return the curve of every topic, most frequent first; the last part counts twice, since topics may be new."""
    refs = topic_refs(database, series.sums)
    late = slice(-max(1, len(series.n) // LATE_PART), None)
    totals = max(int(series.n.sum()), 1), max(int(series.n[late].sum()), 1)

    def size(topic: int) -> float:
        sums = series.sums[topic]
        return float(sums.sum()) / totals[0] + float(sums[late].sum()) / totals[1]

    order = sorted(refs, key=lambda topic: (-size(topic), topic))
    return [{**refs[topic], **band(series.sums[topic], series.n)} for topic in order]  # type: ignore[typeddict-item]


def topic_list(readers: Readers, database: Database, *, at: int | None, span: int) -> TopicList:
    """Return all topics with their recent curves."""
    now = readers.writer.newest if at is None else at
    series = readers.topic_series(database, now - span, now, at=at, most=RIVER_POINTS)
    times = seconds(series.starts)
    curves = topic_curves(database, series)
    return {"now": now / 1e6, "level": level_name(series.level), "times": times, "topics": curves}  # type: ignore[typeddict-item]


def headline(alarms: list[Alarm], drifting: list[DriftingWord], n_documents: int) -> str:
    """Return the most important change as a sentence.

    >>> headline([], [], 0)
    'No documents yet: send some to /api/documents, or start with --follow or --demo'
    >>> headline([], [], 1)
    'Learning from the first documents: bursts are reported after the first 2,000'
    """
    if not n_documents:
        return "No documents yet: send some to /api/documents, or start with --follow or --demo"
    loud = [alarm for alarm in alarms if alarm["acknowledged"] is None and alarm["muted_until"] is None]
    if loud:
        return max(loud, key=lambda alarm: (alarm["probability"] >= 0.5, alarm["raised"]))["headline"]
    if drifting:
        word = drifting[0]
        change = f"from {100 * word['before']:.2g} to {100 * word['now']:.2g} % of the documents"
        return f"“{word['word']}” changed most: {change} within a week, {sure(word['probability'])} certain"
    if n_documents < WARM_UP:
        return f"Learning from the first documents: bursts are reported after the first {WARM_UP:,}"
    return "Nothing unusual now"
