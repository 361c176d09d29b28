from __future__ import annotations

from driftline.report.sections.drift import build
from driftline.report.word_book import WordBook
from tests.report.findings_factory import quiet_findings


def test_fast_periods_are_shaded_and_true_events_marked(findings):
    figure = build(findings, WordBook(findings)).figures["drift"].figure
    texts = [note.text for note in figure.layout.annotations]
    assert len(texts) == len(findings.drift.fastest) + len(findings.truth.bursts)
    assert "Storm Petra" in texts


def test_no_curve_no_section():
    quiet = quiet_findings()
    assert build(quiet, WordBook(quiet)) is None
