"""Sentences about words with a yearly or weekly cycle."""

from __future__ import annotations

from collections.abc import Sequence

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.cycles import CYCLES, Cycle
from driftline.report.numbers import listed, times_as

MOST = 3
"""Maximum number of cycles of one period among the headlines."""
LEAST_RATIO = 2.0
"""Minimum ratio of the peak to the rest of a cycle among the headlines."""
_ADJECTIVES = {"year": "Yearly", "week": "Weekly"}


def cycle_sentence(cycle: Cycle) -> str:
    """Return the months or weekdays in which a word is frequent.

    >>> print(cycle_sentence(Cycle("holiday", "year", "December", 6.2, 4, 4, 120, [])))
    “holiday” in December (6.2 times, in 4 of 4 years)
    >>> print(cycle_sentence(Cycle("league", "week", "Sunday", 2.6, 14, 15, 120, [])))
    “league” on Sundays (2.6 times)
    """
    when = f"in {cycle.peak}" if cycle.period == "year" else f"on {cycle.peak}s"
    ratio = times_as(cycle.ratio)
    years = f", in {cycle.agreeing} of {cycle.n_blocks} years" if cycle.period == "year" else ""
    return f"“{cycle.word}” {when} ({ratio}{years})"


def cycle_sentences(findings: Findings) -> list[str]:
    """Return one sentence on the strongest cycles of every period."""
    sentences = []
    for period, adjective in _ADJECTIVES.items():
        clear = [
            each for each in without_parts(CYCLES.of(findings)) if each.period == period and each.ratio >= LEAST_RATIO
        ]
        if clear:
            named = [cycle_sentence(cycle) for cycle in clear[:MOST]]
            sentences.append(f"{adjective} {'cycle' if len(named) == 1 else 'cycles'}: {listed(named, most=MOST)}.")
    return sentences


def without_parts(cycles: Sequence[Cycle]) -> list[Cycle]:
    """Return the cycles without the words of phrases that have the same peak.

    >>> cycles = [Cycle(word, "year", "March", 2.4, 6, 6, 120, []) for word in ("old", "year old", "jump")]
    >>> [cycle.word for cycle in without_parts(cycles)]
    ['year old', 'jump']
    """
    parts = {(part, each.period, each.peak) for each in cycles for part in each.word.split() if part != each.word}
    return [each for each in cycles if (each.word, each.period, each.peak) not in parts]
