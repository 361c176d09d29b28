"""Answers made of rows of documents and topics."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from driftline.core.display import terminal_text
from driftline.service.answers import DocumentRow, TopicRef
from driftline.service.store.database import Database, Row
from driftline.service.store.keys import as_text
from driftline.service.store.sqlite_store import plain_word

SHOWN = 180
"""Length of a snippet in characters."""
LIST = "key, id, time, source, text, topic, probability, label"


def document_rows(database: Database, keys: Sequence[int], words: Sequence[str] = ()) -> list[DocumentRow]:
    """Return the documents with these keys, in this order, without deleted ones."""
    found = listed_rows(database, keys)
    return [document_row(found[key], words) for key in keys if key in found]


def newest_first(rows: Iterable[DocumentRow]) -> list[DocumentRow]:
    """Return rows in order of time; keys are in order of the hour, and within an hour in order of arrival."""
    return sorted(rows, key=lambda row: row["time"], reverse=True)


def listed_rows(database: Database, keys: Sequence[int]) -> dict[int, Row]:
    """Return rows of `LIST` by key, without deleted documents."""
    if not keys:
        return {}
    condition, values = database.among(keys)
    return {int(row[0]): row for row in database.execute(f"SELECT {LIST} FROM documents WHERE {condition}", values)}


def document_row(row: Sequence[Any], words: Sequence[str] = ()) -> DocumentRow:
    """Return the answer for a row of `LIST`."""
    key, name, moment, source, text, topic, probability, label = row
    return {
        "key": as_text(key),
        "id": name,
        "time": moment / 1e6,
        "source": source,
        "snippet": snippet(text, words),
        "topic": topic,
        "probability": None if probability is None else round(probability, 4),
        "label": label,
    }


def snippet(text: str, words: Sequence[str] = (), shown: int = SHOWN) -> list[str]:
    """Return the part of a text around the first occurrence of some words, divided at all of their occurrences.

    The second, the fourth and every other even part is an occurrence: no character of a text can be taken for a mark.

    >>> snippet("Rain and wind, then more rain.", ["rain"], shown=40)
    ['', 'Rain', ' and wind, then more ', 'rain', '.']
    >>> snippet("The government of the island said that it expects rain and gales by Monday.", ["rain"], shown=36)
    ['… it expects ', 'rain', ' and gales by …']
    """
    wanted = {plain_word(word) for word in words if not word.endswith("*")}
    beginnings = tuple(plain_word(word) for word in words if word.endswith("*"))
    matches = [
        found.span()
        for found in re.finditer(r"\w+", text[:100_000])
        if plain_word(found[0]) in wanted or (beginnings and plain_word(found[0]).startswith(beginnings))
    ]
    first = max(0, matches[0][0] - shown // 3) if matches else 0
    last = first + shown
    if first:  # not within a word
        first = min((found.end() for found in re.finditer(r"\s", text[first : matches[0][0]])), default=0) + first
    if last < len(text):
        last = max((found.start() for found in re.finditer(r"\s", text[first:last])), default=last - first) + first
    parts, place = [], first
    for start, end in matches:
        if start >= first and end <= last:
            parts += [text[place:start], text[start:end]]
            place = end
    parts.append(text[place:last])
    parts[0] = ("… " if first else "") + parts[0].lstrip()
    parts[-1] = parts[-1].rstrip() + (" …" if last < len(text) else "")
    return [terminal_text(re.sub(r"\s+", " ", part))[: 2 * shown] for part in parts]


def sure(probability: float) -> str:
    """Return a probability as a percentage between 1 and 99, so that nothing is called certain or impossible.

    >>> sure(0.9), sure(0.9999), sure(0.0)
    ('90 %', '99 %', '1 %')
    """
    return f"{min(99, max(1, round(100 * probability)))} %"


def topic_refs(database: Database, ids: Iterable[int] | None = None) -> dict[int, TopicRef]:
    """Return all topics by id, or those with some ids."""
    rows = database.execute("SELECT id, name, colour, words FROM topics ORDER BY id")
    wanted = None if ids is None else set(ids)
    found: dict[int, TopicRef] = {}
    for number, name, colour, words in rows:
        if wanted is None or number in wanted:
            listed = json.loads(words)
            shown = name if name is not None else ", ".join(listed[:3]) or f"topic {number}"
            found[number] = {"id": number, "name": shown, "colour": colour, "words": listed}
    return found
