"""Explanations for readers of the page: bands, q-values and other terms in plain words."""

from __future__ import annotations

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.small_stream import SMALL
from driftline.analysis.findings.volume import VOLUME
from driftline.analysis.findings.word_tests import FALSE_DISCOVERY_RATE, WORD_TESTS, WordTests
from driftline.analysis.findings.words import BANDWIDTH_DAYS, CHANGED_WORDS
from driftline.report.date_formats import unit_name
from driftline.report.numbers import share
from driftline.report.sections.section import Content, Section
from driftline.report.word_book import WordBook


def build(findings: Findings, book: WordBook) -> Content | None:
    """Explain the terms, with the levels used in these findings; for a small stream only the band, if there is one."""
    if SMALL.of(findings) is not None and len(VOLUME.of(findings).times) < 2:
        return None
    level = CHANGED_WORDS.of(findings)[0].curve.level if CHANGED_WORDS.of(findings) else VOLUME.of(findings).level
    tests = WORD_TESTS.of(findings)
    return Content(
        {
            "level": share(level, 1),
            "has_tests": SMALL.of(findings) is None,
            "false_discovery_rate": share(FALSE_DISCOVERY_RATE.of(findings), 1),
            "unit": unit_name(tests.unit if tests is not None else "day"),
            "few_units": _few_units(tests),
            "groups": None if tests is None else tests.groups,
            "bandwidth": BANDWIDTH_DAYS.of(findings),
        }
    )


def _few_units(tests: WordTests | None) -> str | None:
    """Return the caveat for few units."""
    if tests is None or not tests.few_units:
        return None
    return f"With {tests.n_units} {unit_name(tests.unit)}s it may be about twice that share."


SECTION = Section("reading", "How to read this page", "how_to_read.html", build, "Help", position=160)
