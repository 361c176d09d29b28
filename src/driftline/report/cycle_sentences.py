"""What is said about words that come round."""

from __future__ import annotations

from driftline.analysis.cycle_findings import Cycle
from driftline.analysis.findings import Findings

MOST = 3
"""Most cycles of one period that stand among the headlines."""
LEAST_RATIO = 2.0
"""Least ratio of the peak to the rest of a cycle among the headlines."""
_LARGEST = 100.0


def cycle_sentence(cycle: Cycle) -> str:
    """Return when a word comes round.

    >>> print(cycle_sentence(Cycle("holiday", "year", "December", 6.2, 4, 4, 120, [])))
    “holiday”: every December (6.2 ×), 4 years of 4.
    >>> print(cycle_sentence(Cycle("league", "week", "Sunday", 2.6, 14, 15, 120, [])))
    “league”: every Sunday (2.6 ×).
    """
    ratio = "more than 100 ×" if cycle.ratio >= _LARGEST else f"{cycle.ratio:.1f} ×"
    years = f", {cycle.agreeing} years of {cycle.n_blocks}" if cycle.period == "year" else ""
    return f"“{cycle.word}”: every {cycle.peak} ({ratio}){years}."


def cycle_sentences(findings: Findings) -> list[str]:
    """Return a sentence for the strongest cycles of every period."""
    clear = [cycle for cycle in findings.cycles if cycle.ratio >= LEAST_RATIO]
    return [
        cycle_sentence(cycle)
        for period in ("year", "week")
        for cycle in [each for each in clear if each.period == period][:MOST]
    ]
