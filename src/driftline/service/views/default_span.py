"""The interval that a screen shows unless one is requested: longer in a stream with few documents."""

from __future__ import annotations

from driftline.service.store.database import Database
from driftline.service.store.keys import DAY, HOUR, ORIGIN, PLACES, first_key
from driftline.service.views.read_connections import Readers

FEW, ENOUGH = 100, 1_000
"""An interval with fewer documents than the first number is extended to one with the second number."""
LONGEST = 72 * 30 * DAY
"""Maximum length of an extended interval: 72 months, so that the river stays below 50 KB."""


def default_span(readers: Readers, database: Database, at: int | None, usual: int) -> int:
    """Return the length of the interval up to now, or up to a time: the usual one, or a longer one."""
    now = readers.writer.newest if at is None else at
    start = _start_of(database, now, FEW)
    if start is not None and start >= now - usual:
        return usual
    start = _start_of(database, now, ENOUGH)
    if start is None:
        oldest = database.execute("SELECT min(key) FROM documents")[0][0]
        start = now if oldest is None else _hour_start(int(oldest))
    return min(max(now - start, usual), max(LONGEST, usual))


def _start_of(database: Database, now: int, n: int) -> int | None:
    """Return the hour of the n-th newest document up to a time; None if there are fewer."""
    rows = database.execute(
        "SELECT key FROM documents WHERE key < ? ORDER BY key DESC LIMIT 1 OFFSET ?",
        (first_key(now) + (1 << PLACES), n - 1),
    )
    return _hour_start(int(rows[0][0])) if rows else None


def _hour_start(key: int) -> int:
    return ((key >> PLACES) - ORIGIN) * HOUR
