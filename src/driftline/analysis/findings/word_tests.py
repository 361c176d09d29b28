"""The tests of words: the null hypothesis, and the number of significant words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from driftline.analysis.finding import Finding, nothing
from driftline.local.changed_words.discovery import ChangedWords

if TYPE_CHECKING:
    from driftline.analysis.context import Context

FEW_UNITS = 65
"""Number of units below which the false discovery rate was about twice the stated one."""


@dataclass(frozen=True)
class WordTests:
    """The tests of the words of a stream for change.

    `n_lasting` words changed for longer than one `unit`, at the stated false-discovery rate; `n_longer_than_a_week` of
    them for longer than a week (None if units have no length, or the stream is shorter than two weeks). `n_events`
    others are concentrated in single units: that is tested as if documents were independent, so the rate does not
    apply to them. With fewer than about fifty units (`enough_units` is False) no change is reported as lasting, and a
    concentrated word may be a lasting change.

    If days are not independent given the authors, or groups were given as the unit, `groups` names the groups that were
    permuted as well ("author", "thread"). `n_lasting` words then go beyond changes in these groups; `n_with_groups`
    others also changed for longer than a unit, but possibly only because groups joined or left.
    """

    unit: str
    n_units: int
    enough_units: bool
    n_lasting: int
    n_longer_than_a_week: int | None
    n_events: int
    groups: str | None = None
    n_with_groups: int | None = None

    @property
    def few_units(self) -> bool:
        """Whether there are too few units: twice the stated share of the lasting changes may then be false."""
        return self.enough_units and self.n_units < FEW_UNITS

    @classmethod
    def of(cls, tests: ChangedWords) -> WordTests:
        """Summarise the tests."""
        weeks, with_groups = tests.longer_than_a_week, tests.with_groups
        return cls(
            unit=tests.unit,
            n_units=tests.n_units,
            enough_units=tests.enough_units,
            n_lasting=int(tests.lasting.sum()),
            n_longer_than_a_week=None if weeks is None else int(weeks.sum()),
            n_events=int(tests.event.sum()),
            groups=tests.groups,
            n_with_groups=None if with_groups is None else int(with_groups.sum()),
        )


def find(context: Context) -> WordTests | None:
    """Summarise the tests of all words and phrases."""
    return WordTests.of(context.tests)


def find_tested(context: Context) -> int:
    """Return the number of words and phrases that were tested."""
    return len(context.tests.columns)


def find_changed(context: Context) -> int:
    """Return the number of those that changed, lastingly or as events."""
    return int(context.tests.changed.sum())


def find_rate(context: Context) -> float:
    """Return the false discovery rate of lasting changes."""
    return context.options.false_discovery_rate


N_WORDS_TESTED = Finding("n_words_tested", find_tested, empty=int, position=40, since=1)
N_WORDS_CHANGED = Finding("n_words_changed", find_changed, empty=int, position=50, since=1)
FALSE_DISCOVERY_RATE = Finding("false_discovery_rate", find_rate, empty=float, position=60, since=1)
WORD_TESTS = Finding("word_tests", find, empty=nothing, position=210, since=8)
