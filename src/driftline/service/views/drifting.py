r"""Words whose share of the documents changed: the last week against the four weeks before it.

With c of n documents now and C of N before, the logarithm of the ratio of shares has, for independent documents, nearly
the variance 1/(c + ½) + 1/(C + ½) (1). Documents of a day are not independent: they report the same events. The
variance is therefore multiplied by the dispersion of the word over the days, Pearson's

.. math:: \phi = \max(1, \sum_d (c_d - n_d s_d)^2 / (n_d s_d) / (D - 2)) \qquad (2)

with the share :math:`s_d` of the period of day d, and the day with most documents in the period with the higher share
is left out if that reduces the difference (3): a change on a single day is a burst, not a drift. The probability of a
change is one minus the p-value times the number of words compared.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from driftline.core.arrays import Bools, Floats, Ints
from driftline.service.answers import DriftingWord
from driftline.service.store.database import Database
from driftline.service.store.keys import DAY
from driftline.service.views.period_counts import PeriodCounts
from driftline.service.views.read_connections import Readers

NOW, BEFORE = 7, 28
"""Numbers of days of the two periods that are compared."""
SHOWN = 12
FEWEST = 8
CERTAIN = 0.9
"""Minimum probability of a word that is shown, the same as for alarms."""


def drifting_words(readers: Readers, database: Database, now: int, *, at: int | None = None) -> list[DriftingWord]:
    """Return the words with the most certain changes up to a time; with `at`, only documents up to then are counted."""
    first = now // DAY * DAY - (NOW + BEFORE - 1) * DAY
    return readers.settled(database, lambda: _drifting(readers, database, first, now, at))


def _drifting(readers: Readers, database: Database, first: int, now: int, at: int | None) -> list[DriftingWord]:
    counts = PeriodCounts(readers.writer, database, 1, first, now, cut=at is not None)
    series = readers.topic_series(database, first, now, at=at)
    if series.level > 1:
        return []
    days, per_day = _days(series.starts, series.n)
    edge = now // DAY * DAY - (NOW - 1) * DAY
    is_recent = days >= edge
    n_now, n_before = int(per_day[is_recent].sum()), int(per_day[~is_recent].sum())
    if not n_now or not n_before:
        return []
    parts = list(counts.totals(edge, FEWEST))
    if not parts:
        return []
    words = np.concatenate([part[0] for part in parts])
    C, c = (np.concatenate([part[side] for part in parts]) for side in (1, 2))
    n_compared = len(words)
    # Dispersion and the omission of days only lower the certainty, so no other word can be certain
    likely = certainty(log_ratio(c, n_now, C, n_before), n_compared) > CERTAIN
    words, c, C = words[likely], c[likely], C[likely]
    if not len(words):
        return []
    table = counts.of_words(words, days)
    z = changes(table, per_day, is_recent)
    chance = certainty(z, n_compared)
    best = np.argsort(-np.abs(z), kind="stable")[:SHOWN]
    best = best[chance[best] > CERTAIN]
    if not len(best):
        return []
    marks = ", ".join("?" * len(best))
    names: dict[int, str] = dict(
        database.execute(f"SELECT number, word FROM words WHERE number IN ({marks})", words[best].tolist())
    )
    return [
        {
            "word": names[int(words[place])],
            "before": round(float(C[place] / n_before), 5),
            "now": round(float(c[place] / n_now), 5),
            "ratio": round(float((c[place] + 0.5) / (n_now + 1) / ((C[place] + 0.5) / (n_before + 1))), 3),
            "probability": round(float(chance[place]), 4),
            "values": [round(float(k / n), 5) for k, n in zip(table[:, place], per_day)],
        }
        for place in best.tolist()
    ]


def log_ratio(c: Floats, n: Floats | int, C: Floats, N: Floats | int) -> Floats:
    """Return the logarithm of the ratio of two shares in units of its standard error (1).

    >>> log_ratio(np.array([10.0]), 100, np.array([10.0]), 100).tolist()
    [0.0]
    """
    found: Floats = np.log((c + 0.5) / (n + 1) / ((C + 0.5) / (N + 1))) / np.sqrt(1 / (c + 0.5) + 1 / (C + 0.5))
    return found


def certainty(z: Floats, n_compared: int) -> Floats:
    """Return one minus the p-value times the number of words compared."""
    found: Floats = 1 - np.minimum(1.0, n_compared * 2 * ndtr(-np.abs(z)))
    return found


def changes(counts: Floats, n: Floats, is_recent: Bools) -> Floats:
    """Return the change of every word in units of its standard error.

    `counts` is days × words, `n` the documents of the days.
    """
    sides = [(counts[chosen], n[chosen]) for chosen in (is_recent, ~is_recent)]
    (c, m), (C, M) = [(rows.sum(axis=0), of_day.sum()) for rows, of_day in sides]
    z = log_ratio(c, m, C, M)
    expected = np.where(is_recent[:, None], np.outer(n, c / m), np.outer(n, C / M))
    misfit = np.divide((counts - expected) ** 2, expected, out=np.zeros_like(expected), where=expected > 0)
    dispersion = np.maximum(1.0, misfit.sum(axis=0) / max(np.count_nonzero(n) - 2, 1))  # (2)
    largest = [(rows.max(axis=0), of_day[rows.argmax(axis=0)]) for rows, of_day in sides]
    rises = z > 0
    without = np.where(
        rises,
        log_ratio(c - largest[0][0], m - largest[0][1], C, M),
        log_ratio(c, m, C - largest[1][0], M - largest[1][1]),
    )
    least = np.where(rises, np.clip(without, 0.0, z), np.clip(without, z, 0.0))  # (3)
    found: Floats = least / np.sqrt(dispersion)
    return found


def _days(starts: Ints, n: Ints) -> tuple[Ints, Floats]:
    """Return the days with documents, and the number of documents of each."""
    days, place = np.unique(starts // DAY * DAY, return_inverse=True)
    per_day = np.bincount(place, n, minlength=len(days)).astype(float)
    return days[per_day > 0], per_day[per_day > 0]
