"""Label events (given, replaced, withdrawn), agreement of two people, and accuracy of the guesses."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from driftline.service.answers import CalibrationBin
from driftline.service.store.database import Database
from driftline.service.writer import Writer, microseconds

BINS = 5
LONGEST = 200
"""Maximum length of a label in characters."""


class GivenLabel(NamedTuple):
    """A requested label; `label` is None for a skipped document, or with `undo`."""

    key: int
    label: str | None
    person: str
    undo: bool
    guess: str | None
    probability: float | None
    double: bool


def give_label(writer: Writer, given: GivenLabel) -> tuple[Any, ...] | None:
    """Store a label, in the writer's thread; return (number, key, label, person, time), None for a missing document."""
    database = writer.database
    rows = database.execute("SELECT text FROM documents WHERE key = ?", (given.key,))
    if not rows:
        return None
    now = microseconds()
    with database.transaction():
        body = {"key": given.key, "label": given.label, "by": given.person, "undo": given.undo}
        writer.append("label", body)
        number = int(database.execute("SELECT coalesce(max(number), 0) + 1 FROM labels")[0][0])
        label = None if given.undo else given.label
        database.execute(
            "INSERT INTO labels VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                number,
                given.key,
                label,
                given.person,
                now,
                given.guess,
                given.probability,
                int(given.double),
                rows[0][0],
            ),
        )
        present = _present(database, given.key)
        database.execute("UPDATE documents SET label = ? WHERE key = ?", (present, given.key))
    return number, given.key, label, given.person, now


def _present(database: Database, key: int) -> str | None:
    """Return the label of a document: the last one of any person that is not withdrawn."""
    latest: dict[str, str | None] = {}
    for person, label in database.execute("SELECT person, label FROM labels WHERE key = ? ORDER BY number", (key,)):
        latest.pop(person, None)
        latest[person] = label
    given = [label for label in latest.values() if label is not None]
    return given[-1] if given else None


def tested_guesses(database: Database) -> tuple[float | None, int, list[CalibrationBin]]:
    """Return the share of guesses that agreed with the label given afterwards, their number, and the calibration."""
    rows = database.execute(
        "SELECT label = guess, probability FROM labels WHERE label IS NOT NULL AND guess IS NOT NULL "
        "ORDER BY number DESC LIMIT 2000"
    )
    if not rows:
        return None, 0, []
    right = np.array([bool(row[0]) for row in rows])
    chance = np.array([row[1] or 0.0 for row in rows])
    place = np.minimum((chance * BINS).astype(int), BINS - 1)
    bins: list[CalibrationBin] = [
        {
            "predicted": round(float(chance[place == k].mean()), 4),
            "right": round(float(right[place == k].mean()), 4),
            "n": int((place == k).sum()),
        }
        for k in range(BINS)
        if (place == k).any()
    ]
    return float(right.mean()), len(rows), bins


def agreement(database: Database) -> tuple[float | None, int]:
    """Return Cohen's κ of the documents labelled by two people, and their number."""
    rows = database.execute(
        "SELECT key, person, label FROM labels WHERE key IN (SELECT key FROM labels WHERE double = 1) ORDER BY number"
    )
    by_key: dict[int, dict[str, str | None]] = {}
    for key, person, label in rows:
        by_key.setdefault(key, {})[person] = label
    pairs = []
    for latest in by_key.values():
        given = [label for label in latest.values() if label is not None]
        if len(given) >= 2:
            pairs.append((given[0], given[1]))
    return cohen_kappa(pairs), len(pairs)


def cohen_kappa(pairs: list[tuple[str, str]]) -> float | None:
    """Return (observed − expected) / (1 − expected) agreement; None without pairs, or if all labels are the same.

    >>> cohen_kappa([("a", "a"), ("b", "b"), ("a", "b"), ("b", "b")])
    0.5
    """
    if not pairs:
        return None
    n = len(pairs)
    observed = sum(one == other for one, other in pairs) / n
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    expected = sum(first[label] * second[label] for label in first) / n**2
    return None if expected == 1 else round((observed - expected) / (1 - expected), 4)
