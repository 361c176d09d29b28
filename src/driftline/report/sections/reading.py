"""How to read this page: what bands, q-values and the rest mean, in plain words."""

from __future__ import annotations

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.word_tests import WordTests
from driftline.report.numbers import share
from driftline.report.sections.section import Content, Section
from driftline.report.sentences import unit_name
from driftline.report.word_book import WordBook


def build(findings: Findings, book: WordBook) -> Content | None:
    """Explain, with the levels used in these findings."""
    level = findings.changed_words[0].curve.level if findings.changed_words else findings.volume.level
    tests = findings.word_tests
    return Content(
        {
            "level": share(level, 1),
            "false_discovery_rate": share(findings.false_discovery_rate, 1),
            "unit": unit_name(tests.unit if tests is not None else "day"),
            "few_units": _few_units(tests),
            "groups": None if tests is None or tests.n_beyond_groups is None else tests.groups,
            "bandwidth": findings.bandwidth_days,
        }
    )


def _few_units(tests: WordTests | None) -> str | None:
    """Say what holds where units are few."""
    if tests is None or not tests.few_units:
        return None
    return f"With {tests.n_units} {unit_name(tests.unit)}s it may be about twice that share."


SECTION = Section("reading", "How to read this page", "reading.html", build, "Help", position=160)
