"""Words with a yearly or weekly cycle, and curves without that cycle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from driftline.analysis.finding import Finding
from driftline.core.arrays import Floats, Ints, Times
from driftline.core.times import Duration
from driftline.local.reading.reading_curves import ReadingCurves, reading_curves
from driftline.local.reading.word_cycles import Cycles, find_cycles
from driftline.streams.unit_counts import UnitCounts
from driftline.text.headline_words import never_headline
from driftline.text.vocabulary import WordList

if TYPE_CHECKING:
    from driftline.analysis.context import Context

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NAMES = {"year": MONTHS, "week": WEEKDAYS}
_CALENDAR = {name[:length].lower() for name in (*MONTHS, *WEEKDAYS) for length in (3, len(name))}
_WEEK = 7.0


@dataclass(frozen=True)
class Cycle:
    """A word with a cycle: its peak is `ratio` times the rest of the period, in `agreeing` of `n_blocks` blocks.

    Blocks are years (only those wholly in the stream), or runs of weeks. `profile` is the word's use relative to its
    mean in every month from January, or on every weekday from Monday.
    """

    word: str
    period: Literal["year", "week"]
    peak: str
    ratio: float
    agreeing: int
    n_blocks: int
    n_documents: int
    profile: list[float]


def words_with_cycles(counted: UnitCounts, *, random_state: int = 0) -> list[Cycles]:
    """Return the yearly and the weekly cycles of the words of a stream."""
    return [
        find_cycles(counted, "year", random_state=random_state),
        find_cycles(counted, "week", random_state=random_state),
    ]


def describe_cycles(
    found: Sequence[Cycles], counted: UnitCounts, words: WordList, languages: Sequence[str] = ("en",)
) -> list[Cycle]:
    """Return the cycles as findings, the strongest of each period first.

    Numbers, months, weekdays and stop words are left out.
    """
    of_calendar = never_headline([str(word) for word in words], ("en", *languages))
    held = np.asarray(counted.counts.sum(axis=0)).ravel()
    return [
        Cycle(
            word=str(words[column]),
            period=cycles.period,
            peak=_NAMES[cycles.period][cycles.peak[row]],
            ratio=float(f"{cycles.ratio[row]:.4g}"),
            agreeing=int(cycles.agreeing[row]),
            n_blocks=int(cycles.n_blocks[row]),
            n_documents=int(held[column]),
            profile=[float(f"{value:.4g}") for value in cycles.profile[row]],
        )
        for cycles in found
        for row, column in enumerate(cycles.columns)
        if not of_calendar[column] and str(words[column]) not in _CALENDAR
    ]


def curves_without_cycles(
    counted: UnitCounts,
    columns: Ints,
    when: Times,
    *,
    bandwidth: Duration,
    cycles: Sequence[Cycles],
    events: Ints | None = None,
) -> ReadingCurves:
    """Return the curves of the counted words in `columns`; the curve of a cyclic word is divided by its profile.

    A document of December is then weighted by the profile, so that the curve is the level without the cycle. For a
    weekly cycle the bandwidth is at least a week, so that the rest of the cycle averages out. `events` marks words that
    are events of a few units, whose curves are narrow.
    """
    result = reading_curves(counted, when=when, bandwidth=bandwidth, narrow=events)
    for row, column in enumerate(columns.tolist()):
        factor, shortest = _factor(counted.times, column, cycles)
        if factor is None:
            continue
        adjusted = counted.words(np.array([row]))._replace(totals=counted.totals * factor)
        one = reading_curves(adjusted, when=when, bandwidth=bandwidth, at_least=shortest)
        for whole, part in zip(result.curve[1:5], one.curve[1:5]):
            whole[row] = part[0]
        result.bandwidth[row], result.dispersion[row] = one.bandwidth[0], one.dispersion[0]
    return result


def _factor(times: Floats, column: int, cycles: Sequence[Cycles]) -> tuple[Floats | None, float]:
    """Return the product of the word's profiles at every unit (None if it has none), and the shortest bandwidth."""
    factor: Floats | None = None
    shortest = 0.0
    for found in cycles:
        for row in np.flatnonzero(found.columns == column):
            profile = found.factors(times)[:, row]
            factor = profile if factor is None else factor * profile
            shortest = max(shortest, _WEEK if found.period == "week" else 0.0)
    return factor, shortest


def find(context: Context) -> list[Cycle]:
    """Describe the cycles of words and phrases."""
    words = np.asarray(context.with_phrases.vocabulary.words)
    return describe_cycles(context.cycles, context.by_unit, words, context.prepared.language.codes)


CYCLES = Finding("cycles", find, empty=list[Cycle], position=240, since=12)
