"""Recurring words: those with a yearly or a weekly cycle."""

from __future__ import annotations

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.cycles import CYCLES, Cycle
from driftline.report.cycle_sentences import cycle_sentence
from driftline.report.sections.section import Content, Section
from driftline.report.word_book import WordBook

_MOST, _SHOWN = 30, 8
_HEIGHT = 24.0


def build(findings: Findings, book: WordBook) -> Content | None:
    """List the words of each period, with bars for its phases; those beyond the first few are folded away."""
    if not CYCLES.of(findings):
        return None
    groups = {
        name: [_row(cycle) for cycle in CYCLES.of(findings) if cycle.period == period][:_MOST]
        for name, period in (("Every year", "year"), ("Every week", "week"))
    }
    return Content({"groups": {name: rows for name, rows in groups.items() if rows}, "n_shown": _SHOWN})


def _row(cycle: Cycle) -> dict[str, object]:
    top = max(cycle.profile, default=1.0)
    bars = [(place, round(_HEIGHT * value / top, 1)) for place, value in enumerate(cycle.profile)]
    return {"sentence": cycle_sentence(cycle), "cycle": cycle, "bars": bars, "width": 8 * len(bars), "height": _HEIGHT}


SECTION = Section("cycles", "What recurs", "cycles.html", build, "Cycles", position=40)
