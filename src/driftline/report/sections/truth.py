"""Found and true: the known changes of a simulated stream beside the findings."""

from __future__ import annotations

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.truth import TRUTH
from driftline.report.date_formats import span
from driftline.report.sections.section import Content, Section
from driftline.report.word_book import WordBook


def build(findings: Findings, book: WordBook) -> Content | None:
    """Score the findings against the truth; the curves of the other sections show both."""
    truth = TRUTH.of(findings)
    if truth is None:
        return None
    bursts = [(name, span(start, end, short=True)) for name, start, end in truth.bursts]
    return Content({"truth": truth, "bursts": bursts})


SECTION = Section("truth", "Found and true", "truth.html", build, "Truth", position=20)
