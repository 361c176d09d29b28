from __future__ import annotations

import dataclasses

from driftline.report.sections.truth import build
from driftline.report.word_book import WordBook


def test_events_have_their_dates(findings):
    values = build(findings, WordBook(findings)).values
    assert values["bursts"][0] == ("Storm Petra", "10–26 Feb 2025")
    assert values["truth"] is findings.truth


def test_real_streams_have_no_truth(findings):
    real = dataclasses.replace(findings, truth=None)
    assert build(real, WordBook(real)) is None
