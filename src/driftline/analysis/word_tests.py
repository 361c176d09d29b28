"""What was tested about words, against which null hypothesis, and how many passed."""

from __future__ import annotations

from dataclasses import dataclass

from driftline.core.arrays import Bools
from driftline.local.changed_words.discovery import ChangedWords


@dataclass(frozen=True)
class WordTests:
    """How the words of a stream were tested for change.

    `n_lasting` words changed for longer than one `unit`, at the stated false-discovery rate; `n_longer_than_a_week` of
    them for longer than a week (None where units have no length). `n_events` others are bunched in single units: that
    is judged by documents as if they were independent, so the rate does not hold for them. With fewer than about fifty
    units (`enough_units` is False) nothing is called lasting, and what is bunched may be a lasting change.

    Where days are not independent of each other given who writes, or groups were named as the unit, `groups` says what
    was moved as a whole ("author", "thread"), and `n_beyond_groups` of the lasting changes are more than the coming and
    going of these.
    """

    unit: str
    n_units: int
    enough_units: bool
    n_lasting: int
    n_longer_than_a_week: int | None
    n_events: int
    groups: str | None = None
    n_beyond_groups: int | None = None

    @classmethod
    def of(cls, tests: ChangedWords, *, groups: str | None = None, beyond: Bools | None = None) -> WordTests:
        """Summarise the tests; `beyond` tells which lasting changes are more than the coming and going of `groups`."""
        weeks = tests.longer_than_a_week
        return cls(
            unit=tests.unit,
            n_units=tests.n_units,
            enough_units=tests.enough_units,
            n_lasting=int(tests.lasting.sum()),
            n_longer_than_a_week=None if weeks is None else int(weeks.sum()),
            n_events=int(tests.event.sum()),
            groups=groups,
            n_beyond_groups=None if beyond is None else int((tests.lasting & beyond).sum()),
        )
