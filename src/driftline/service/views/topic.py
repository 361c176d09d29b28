"""One topic: its curve, its words now and earlier, its documents, and its lineage."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np

from driftline.service.alarms import COLUMNS, AlarmRow
from driftline.service.answers import LineageStep, TopicPage, WordShare
from driftline.service.store.database import Database
from driftline.service.store.keys import first_key
from driftline.service.views.alarms import alarms_shown
from driftline.service.views.drifting import certainty, log_ratio
from driftline.service.views.read_connections import Readers, band, level_name, seconds
from driftline.service.views.shown_rows import LIST, document_row, newest_first, topic_refs
from driftline.text.stream_cleaning import clean_arriving
from driftline.text.tokenise import Tokenizer

COMPARED = 300
"""Number of documents of a topic at each of the two times whose words are compared."""
WORDS = 20
CHANGED = 0.95
"""Minimum certainty, corrected for the number of words, at which a word is reported as changed."""


def topic_page(readers: Readers, database: Database, topic: int, *, at: int | None, span: int) -> TopicPage | None:
    """Return one topic; None if there is no such topic."""
    refs = topic_refs(database, [topic])
    if topic not in refs:
        return None
    now = readers.writer.newest if at is None else at
    series = readers.topic_series(database, now - span, now, at=at)
    sums = series.sums.get(topic)
    then = int(series.starts[0])
    filled = [start for start, n in zip(series.starts.tolist(), series.n.tolist()) if n]
    if filled:
        then = (filled[0] + now) // 2
    alarms = database.execute(
        f"SELECT {COLUMNS} FROM alarms WHERE topic = ? AND raised <= ? ORDER BY id DESC LIMIT 10", (topic, now)
    )
    newest = database.execute(
        f"SELECT {LIST} FROM documents WHERE topic = ? AND key < ? AND time <= ? ORDER BY key DESC LIMIT 20",
        (topic, first_key(now) + (1 << 24), now),
    )
    tokenizer = readers.writer.learner.words.tokenizer
    words_now, words_then = (_tokens(database, tokenizer, topic, until) for until in (now, then))
    return {  # type: ignore[return-value]
        "topic": refs[topic],
        "present": bool(database.execute("SELECT present FROM topics WHERE id = ?", (topic,))[0][0]),
        "level": level_name(series.level),
        "times": seconds(series.starts),
        "n_documents": series.n.tolist(),
        "curve": band(np.zeros(len(series.n)) if sums is None else sums, series.n),
        **_compared(words_now, words_then),
        "then": then / 1e6,
        "documents": newest_first(map(document_row, newest)),
        "lineage": lineage(database, topic),
        "alarms": alarms_shown(database, [AlarmRow(*row) for row in alarms], at),
    }


def _tokens(database: Database, tokenizer: Tokenizer, topic: int, until: int) -> list[list[str]]:
    """Return the words of the newest documents of a topic up to a time."""
    rows = database.execute(
        "SELECT text FROM documents WHERE topic = ? AND key < ? ORDER BY key DESC LIMIT ?",
        (topic, first_key(until) + (1 << 24), COMPARED),
    )
    texts = clean_arriving([text[:5_000] for (text,) in rows])
    found: list[list[str]] = tokenizer.tokens(texts).to_pylist()
    return found


def _compared(now: list[list[str]], then: list[list[str]]) -> dict[str, object]:
    """Return the most frequent words at both times with their shares, and the words with a significant change.

    The test uses the number of documents with a word, since repetitions within a document are not independent.

    >>> _compared([["rain"], ["rain"]], [["rain", "snow"]])["words_now"]
    [{'word': 'rain', 'share': 1.0}, {'word': 'snow', 'share': 0.0}]
    """
    counts = [Counter(word for words in documents for word in words) for documents in (now, then)]
    words = list(dict.fromkeys(word for of_time in counts for word, _ in of_time.most_common(WORDS)))
    words.sort(key=lambda word: -counts[0][word])
    having = [
        np.array([sum(word in found for found in sets) for word in words], dtype=float)
        for sets in ([set(document) for document in documents] for documents in (now, then))
    ]
    certain = certainty(log_ratio(having[0], len(now), having[1], len(then)), len(words))
    shares: list[list[WordShare]] = [
        [{"word": word, "share": round(of_time[word] / max(of_time.total(), 1), 5)} for word in words]
        for of_time in counts
    ]
    return {
        "words_now": shares[0],
        "words_then": shares[1],
        "changed": [word for word, chance in zip(words, certain) if chance > CHANGED],
    }


def lineage(database: Database, topic: int | None = None) -> list[LineageStep]:
    """Return the lineage of a topic over all refits, or of all topics in the last refit."""
    if topic is None:
        rows = database.execute(
            "SELECT time, kind, old, new, overlap FROM lineage WHERE version = (SELECT max(version) FROM lineage) "
            "ORDER BY number"
        )
    else:
        rows = database.execute("SELECT time, kind, old, new, overlap FROM lineage ORDER BY number DESC LIMIT 2000")
    steps: list[LineageStep] = [
        {
            "time": moment / 1e6,
            "kind": kind,
            "old": json.loads(old),
            "new": json.loads(new),
            "overlap": round(overlap, 4),
        }
        for moment, kind, old, new, overlap in rows
    ]
    return [step for step in steps if topic is None or topic in step["old"] or topic in step["new"]]
