"""Documents: search as you type, facets and histogram of the matches, and the page of one document."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from driftline.service.answers import DocumentList, DocumentPage, Facet, LabelEvent, SpokenWord
from driftline.service.learning.learner import Learner, unpack_main_topics
from driftline.service.store.database import Database
from driftline.service.store.keys import as_text, first_key, from_text, hour_of, period_starts
from driftline.service.views.read_connections import all_starts, level_name, level_of, seconds
from driftline.service.views.shown_rows import document_rows, newest_first, topic_refs
from driftline.text.stream_cleaning import clean_arriving

CAP = 10_000
"""Maximum number of matches that are counted."""
BEST_OF = 2_000
"""Number of newest matches that are ranked; each of them has to be read."""
PAGE = 50
MOST_WORDS = 20
MOST_FACETS = 20


class Asked(NamedTuple):
    """A search: words, filters, time interval in microseconds, order, and cursor."""

    q: str = ""
    topic: int | None = None
    label: str | None = None
    source: str | None = None
    first: int | None = None
    last: int | None = None
    sort: str = "newest"
    after: str | None = None


def query_words(q: str) -> list[str]:
    """Return the words of a query; the last is a prefix, unless a space follows it.

    >>> query_words("Storm pet"), query_words("storm "), query_words('"; DROP')
    (['Storm', 'pet*'], ['storm'], ['DROP*'])
    """
    words = re.findall(r"\w+", q)[:MOST_WORDS]
    if words and not q[-1:].isspace():
        words[-1] += "*"
    return words


def document_list(database: Database, asked: Asked) -> DocumentList:
    """Return a page of the matches, with the facets and the histogram of all matches (up to 10,000)."""
    words = query_words(asked.q)
    lowest = 0 if asked.first is None else first_key(asked.first)
    highest = 2**63 - 1 if asked.last is None else first_key(asked.last) + (1 << 24) - 1
    note = None
    if asked.q.strip() and not words:
        return _nothing("the query has no words")
    if words:
        keys = database.newest_matches(words, CAP + 1, lowest, highest)
    else:
        keys = _filtered(database, asked, lowest, highest)
    is_capped = len(keys) > CAP
    keys = keys[:CAP]
    if words and keys:
        keys = _fitting(database, keys, asked)
    shown = keys
    if words and asked.sort == "best":
        if len(keys) > BEST_OF:
            note = f"the best of the newest {BEST_OF:,} matches; add a word, or choose a time, to see others"
        kept = set(keys[:BEST_OF])
        shown = [key for key in database.best_matches(words, CAP, min(kept), max(kept)) if key in kept] if kept else []
    start = int(asked.after) if asked.after and asked.after.isdigit() else 0
    part = shown[start : start + PAGE]
    level, times, counts = _histogram(keys)
    rows = document_rows(database, part, words)
    return {
        "documents": rows if words and asked.sort == "best" else newest_first(rows),
        "total": len(keys),
        "is_capped": is_capped,
        "next": str(start + PAGE) if start + PAGE < len(shown) else None,
        "facets": _facets(database, keys),
        "level": level,  # type: ignore[typeddict-item]
        "times": times,
        "counts": counts,
        "note": note,
    }


def _nothing(note: str) -> DocumentList:
    empty: dict[str, list[Facet]] = {"topic": [], "label": [], "source": []}
    return {
        "documents": [], "total": 0, "is_capped": False, "next": None, "facets": empty,
        "level": "hour", "times": [], "counts": [], "note": note,
    }  # fmt: skip


def _conditions(asked: Asked) -> tuple[list[str], list[object]]:
    """Return the filters of a search as SQL conditions, with their values."""
    filters: tuple[tuple[str, object], ...] = (
        ("topic = ?", asked.topic),
        ("label = ?", asked.label),
        ("source = ?", asked.source),
        ("time >= ?", asked.first),
        ("time <= ?", asked.last),
    )
    used = [(condition, value) for condition, value in filters if value is not None]
    return [condition for condition, _ in used], [value for _, value in used]


def _filtered(database: Database, asked: Asked, lowest: int, highest: int) -> list[int]:
    """Return the newest documents that pass the filters, newest first."""
    conditions, values = _conditions(asked)
    where = " AND ".join(["key BETWEEN ? AND ?", *conditions])
    rows = database.execute(
        f"SELECT key FROM documents WHERE {where} ORDER BY key DESC LIMIT ?", (lowest, highest, *values, CAP + 1)
    )
    return [key for (key,) in rows]


def _fitting(database: Database, keys: list[int], asked: Asked) -> list[int]:
    """Return the documents among these that pass the filters, newest first."""
    conditions, values = _conditions(asked)
    if not conditions:
        return keys
    inside, listed = database.among(keys)
    where = " AND ".join([inside, *conditions])
    rows = database.execute(f"SELECT key FROM documents WHERE {where} ORDER BY key DESC", (*listed, *values))
    return [key for (key,) in rows]


def _facets(database: Database, keys: list[int]) -> dict[str, list[Facet]]:
    """Return the topics, labels and sources of some documents, most frequent first."""
    refs = topic_refs(database)
    counts: dict[str, Counter[Any]] = {"topic": Counter(), "label": Counter(), "source": Counter()}
    if keys:
        inside, values = database.among(keys)
        sql = f"SELECT topic, label, source, count(*) FROM documents WHERE {inside} GROUP BY topic, label, source"
        for topic, label, source, n in database.execute(sql, values):
            for name, value in (("topic", topic), ("label", label), ("source", source)):
                if value is not None:
                    counts[name][value] += int(n)
    names = {topic: ref["name"] for topic, ref in refs.items()}
    return {
        name: [
            {"value": str(value), "name": names.get(value, str(value)) if name == "topic" else str(value), "n": n}
            for value, n in sorted(found.items(), key=lambda each: (-each[1], str(each[0])))[:MOST_FACETS]
        ]
        for name, found in counts.items()
    }


def _histogram(keys: list[int]) -> tuple[str, list[float], list[int]]:
    if not keys:
        return "hour", [], []
    hours = hour_of(np.array(keys, dtype=np.int64))
    first, last = int(hours.min()), int(hours.max())
    level = level_of(first, last)
    starts = all_starts(first, last, level)
    counts = np.bincount(np.searchsorted(starts, period_starts(hours, level)), minlength=len(starts))
    return level_name(level), seconds(starts), counts.tolist()


def document_page(database: Database, text_key: str) -> DocumentPage | None:
    """Return one document, without the words that support its topic, which only the writer can compute."""
    key = from_text(text_key)
    columns = "key, id, time, arrived, source, text, topics, label"
    rows = database.execute(f"SELECT {columns} FROM documents WHERE key = ?", (key,)) if key is not None else []
    if not rows:
        return None
    number, name, moment, arrived, source, text, topics, label = rows[0]
    refs = topic_refs(database)
    parts = [(topic, share) for topic, share in unpack_main_topics(topics) if topic in refs]
    return {
        "key": as_text(number),
        "id": name,
        "time": moment / 1e6,
        "arrived": arrived / 1e6,
        "source": source,
        "text": text,
        "topics": [{"topic": refs[topic], "share": round(share, 4)} for topic, share in parts],
        "spoke": [],
        "label": label,
        "guess": None,
        "guess_probability": None,
        "labels": label_events(database, number),
    }


def label_events(database: Database, key: int) -> list[LabelEvent]:
    """Return the label events of a document in order."""
    rows = database.execute("SELECT number, key, label, person, time FROM labels WHERE key = ? ORDER BY number", (key,))
    return [label_event(row) for row in rows]


def label_event(row: tuple[Any, ...]) -> LabelEvent:
    """Return the answer for a row (number, key, label, person, time)."""
    number, key, label, person, moment = row
    return {"number": number, "key": as_text(key), "label": label, "by": person, "time": moment / 1e6}


def spoken_words(learner: Learner, text: str, topic: int, most: int = 12) -> list[SpokenWord]:
    """Return the words of a text with their support for a topic: ln of their share in it over their mean share."""
    if learner.topics is None or topic not in learner.ids:
        return []
    tokens = learner.words.tokenizer.tokens(clean_arriving([text]))[0].as_py()
    words = list(dict.fromkeys(tokens))[:2_000]
    slots = learner.words.find(words)
    known = [(word, slot) for word, slot in zip(words, slots.tolist()) if 0 <= slot < learner.topics.n_words]
    if not known:
        return []
    shares = learner.topics.word_shares(np.array([slot for _, slot in known]))
    weights = np.log(shares[int(np.flatnonzero(learner.ids == topic)[0])] / shares.mean(axis=0))
    order = np.argsort(-np.abs(weights), kind="stable")[:most]
    return [{"word": known[k][0], "weight": round(float(weights[k]), 3)} for k in order.tolist()]
