"""Curves of words: from the search index for rare words, from the aggregates for frequent ones."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import numpy as np

from driftline.core.arrays import Floats, Ints
from driftline.service.alarms import COLUMNS, AlarmRow
from driftline.service.answers import WordBurst, WordCurve, WordList, WordPage
from driftline.service.store.database import Database
from driftline.service.store.keys import HOUR, first_key, hour_of, hour_start, period_starts
from driftline.service.views.drifting import drifting_words
from driftline.service.views.overview import DriftCache
from driftline.service.views.period_counts import PeriodCounts
from driftline.service.views.read_connections import Readers, TopicSeries, band, level_name, seconds

FEW = 20_000
"""Maximum number of documents with a word for which its curve is read from the index."""
LISTED = 20


def word_list(readers: Readers, database: Database, cache: DriftCache, *, prefix: str, at: int | None) -> WordList:
    """Return the words with a prefix, with their number of documents in this month, and the drifting words."""
    now = readers.writer.newest if at is None else at
    drifting = cache.get(readers, database, now) if at is None else drifting_words(readers, database, now, at=at)
    if not prefix:
        return {"words": [], "drifting": drifting}
    low, high = prefix.lower(), prefix.lower() + "\U0010ffff"
    rows = database.execute("SELECT number, word FROM words WHERE word >= ? AND word < ? LIMIT 2000", (low, high))
    numbers = np.array([number for number, _ in rows], dtype=np.int64)
    counts = _table(readers, database, numbers, 2, period_starts(np.array([now]), 2), now, at)[0]
    ranked = sorted(((word, int(n)) for (_, word), n in zip(rows, counts)), key=lambda each: (-each[1], each[0]))
    return {"words": ranked[:LISTED], "drifting": drifting}


def word_page(readers: Readers, database: Database, words: Sequence[str], *, at: int | None, span: int) -> WordPage:
    """Return the curves of up to five words over the same periods."""
    now = readers.writer.newest if at is None else at
    first = _first(readers, database, now)
    series = readers.topic_series(database, max(first, now - span), now, at=at)
    wanted = list(dict.fromkeys(word.lower() for word in words))[:5]
    counts = _counts(readers, database, wanted, series, first, now, at)
    return {
        "level": level_name(series.level),  # type: ignore[typeddict-item]
        "times": seconds(series.starts),
        "totals": series.n.tolist(),
        "words": [_curve(database, word, counts[word], series, now) for word in wanted if word in counts],
        "unknown": [word for word in wanted if word not in counts],
    }


def _first(readers: Readers, database: Database, now: int) -> int:
    stored = database.execute("SELECT min(start) FROM periods WHERE level = 0")[0][0]
    recent = min(readers.writer.state.increments.topics, default=None)
    return min((int(each) for each in (stored, recent) if each is not None), default=now)


def _counts(
    readers: Readers,
    database: Database,
    words: Sequence[str],
    series: TopicSeries,
    first: int,
    now: int,
    at: int | None,
) -> dict[str, Floats]:
    """Return the number of documents with each word per period; a word that never occurred has no entry.

    The index finds the documents with a rare word quickly. The aggregates of a frequent word have a row per period and
    remain when texts are removed; a word without aggregates is then unknown (NaN).
    """
    begin = int(series.starts[0])
    lowest, highest = first_key(begin), first_key(now) + (1 << 24) - 1
    oldest = database.execute("SELECT min(key) FROM documents")[0][0]
    kept = now if oldest is None else int(hour_of(np.array([oldest]))[0])
    is_stored = kept <= max(begin, first // HOUR * HOUR)
    found: dict[str, Floats] = {}
    frequent: dict[str, int] = {}
    for word in words:
        rows = database.execute("SELECT number FROM words WHERE word = ?", (word,))
        number = int(rows[0][0]) if rows else None
        if number is not None and (not is_stored or database.n_matches([word], FEW + 1, lowest, highest) > FEW):
            frequent[word] = number
            continue
        hours = database.matches_per_hour([word], lowest, highest)
        if hours or number is not None:
            starts = period_starts(hour_start(np.array([hour for hour, _ in hours], dtype=np.int64)), series.level)
            places = np.searchsorted(series.starts, starts)
            found[word] = np.bincount(places, [n for _, n in hours], minlength=len(series.starts)).astype(float)
            if number is None and not is_stored:
                found[word][series.starts <= kept] = np.nan
    if frequent:
        numbers = np.array(list(frequent.values()))
        table = _table(readers, database, numbers, series.level, series.starts, now, at)
        found |= dict(zip(frequent, table.T))
    return found


def _table(
    readers: Readers, database: Database, numbers: Ints, level: int, starts: Ints, now: int, at: int | None
) -> Floats:
    """Return periods × words: documents with each of some words, from the aggregates."""
    first = int(starts[0])
    return readers.settled(
        database,
        lambda: PeriodCounts(readers.writer, database, level, first, now, cut=at is not None).of_words(numbers, starts),
    )


def _listing(word: str) -> str:
    r"""Return the pattern of evidence that lists a word, for LIKE with the escape character !.

    >>> _listing("mike_p"), _listing("für")
    ('%"mike!_p"%', '%"f\\u00fcr"%')
    """
    escaped = re.sub("([!%_])", r"!\1", json.dumps(word))
    return f"%{escaped}%"


def _curve(database: Database, word: str, counts: Floats, series: TopicSeries, now: int) -> WordCurve:
    rows = database.execute(
        f"SELECT {COLUMNS} FROM alarms WHERE kind = 'word' AND start <= ? AND evidence LIKE ? ESCAPE '!' "
        "ORDER BY id DESC LIMIT 50",
        (now, _listing(word)),
    )
    bursts: list[WordBurst] = [
        {
            "start": row.start / 1e6,
            "end": None if row.ended is None else row.ended / 1e6,
            "ratio": round(row.ratio if row.ended is None else row.ratio_when_raised, 2),
            "weight": round(row.highest, 4),
        }
        for row in (AlarmRow(*row) for row in rows)
        if word in row.words
    ]
    is_known = ~np.isnan(counts)
    since = None if is_known.all() else int(series.starts[is_known][0]) / 1e6 if is_known.any() else now / 1e6
    shown = band(np.nan_to_num(counts), np.where(is_known, series.n, 0))
    numbers = [int(n) if known else None for n, known in zip(np.nan_to_num(counts).tolist(), is_known.tolist())]
    return {"word": word, "n_documents": numbers, "known_since": since, "bursts": bursts, **shown}  # type: ignore[typeddict-item]
