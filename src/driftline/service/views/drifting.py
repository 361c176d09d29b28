r"""Words whose share of the documents changed: the last week against the four weeks before it.

With c of n documents now and C of N before, the logarithm of the ratio of shares has, nearly, the variance
1/(c + ½) + 1/(C + ½). The probability of a change is one minus the p-value times the number of words compared.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from driftline.service.answers import DriftingWord
from driftline.service.store.database import Database
from driftline.service.store.keys import DAY
from driftline.service.store.periods import add_counts, counts_of
from driftline.service.views.reading import Readers

NOW, BEFORE = 7, 28
"""Days that are compared."""
SHOWN = 12
FEWEST = 8


def drifting_words(readers: Readers, database: Database, now: int) -> list[DriftingWord]:
    """Return the words that changed most certainly up to a time."""
    first = now // DAY * DAY - (NOW + BEFORE - 1) * DAY
    days = readers.word_counts(database, 1, first, now)
    series = readers.topic_series(database, first, now)
    if not days or series.level > 1:
        return []
    of_day = _per_day(series.starts, series.n)
    edge = now // DAY * DAY - (NOW - 1) * DAY
    recent = add_counts([counted for start, counted in days if start >= edge])
    earlier = add_counts([counted for start, counted in days if start < edge])
    n_now = sum(n for start, n in of_day.items() if start >= edge)
    n_before = sum(n for start, n in of_day.items() if start < edge)
    if not n_now or not n_before:
        return []
    words = np.union1d(recent.words, earlier.words)
    c, C = counts_of(recent, words), counts_of(earlier, words)
    enough = c + C >= FEWEST
    words, c, C = words[enough], c[enough], C[enough]
    share, before = (c + 0.5) / (n_now + 1), (C + 0.5) / (n_before + 1)
    z = np.log(share / before) / np.sqrt(1 / (c + 0.5) + 1 / (C + 0.5))
    chance = 1 - np.minimum(1.0, len(words) * 2 * ndtr(-np.abs(z)))
    best = np.argsort(-np.abs(z), kind="stable")[:SHOWN]
    best = best[chance[best] > 0.5]
    if not len(best):
        return []
    marks = ", ".join("?" * len(best))
    names: dict[int, str] = dict(
        database.execute(f"SELECT number, word FROM words WHERE number IN ({marks})", words[best].tolist())
    )
    found: list[DriftingWord] = []
    for place in best.tolist():
        number = int(words[place])
        values = [
            round(float(counts_of(counted, words[place : place + 1])[0]) / of_day[start], 5)
            if of_day.get(start)
            else None
            for start, counted in days
        ]
        found.append(
            {
                "word": names[number],
                "before": round(float(C[place] / n_before), 5),
                "now": round(float(c[place] / n_now), 5),
                "ratio": round(float(share[place] / before[place]), 3),
                "probability": round(float(chance[place]), 4),
                "values": values,
            }
        )
    return found


def _per_day(starts: np.ndarray, n: np.ndarray) -> dict[int, int]:
    found: dict[int, int] = {}
    for start, count in zip((starts // DAY * DAY).tolist(), n.tolist()):
        found[start] = found.get(start, 0) + count
    return found
