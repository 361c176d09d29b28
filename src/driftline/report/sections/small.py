"""Frequent words and some documents of a stream that is too small for claims."""

from __future__ import annotations

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.small_stream import SMALL
from driftline.report.date_formats import clock
from driftline.report.sections.section import Content, Section
from driftline.report.word_book import WordBook


def build(findings: Findings, book: WordBook) -> Content | None:
    """List words and documents of a small stream."""
    small = SMALL.of(findings)
    if small is None or not small.words:
        return None
    return Content({"small": small, "examples": [(clock(example.time), example) for example in small.examples]})


SECTION = Section("small", "Words and documents", "small.html", build, "Words", position=10)
