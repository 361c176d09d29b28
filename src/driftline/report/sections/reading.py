"""How to read this page: what bands, q-values and the rest mean, in plain words."""

from __future__ import annotations

from driftline.analysis.findings import Findings
from driftline.report.numbers import share
from driftline.report.sections.section import Content, Section
from driftline.report.sentences import unit_name
from driftline.report.word_book import WordBook


def build(findings: Findings, book: WordBook) -> Content | None:
    """Explain, with the levels used in these findings."""
    level = findings.changed_words[0].curve.level if findings.changed_words else findings.volume.level
    return Content(
        {
            "level": share(level, 1),
            "false_discovery_rate": share(findings.false_discovery_rate, 1),
            "unit": unit_name(findings.word_tests.unit if findings.word_tests is not None else "day"),
            "bandwidth": findings.bandwidth_days,
        }
    )


SECTION = Section("reading", "How to read this page", "reading.html", build, "Help")
