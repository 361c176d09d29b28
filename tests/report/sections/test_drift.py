from __future__ import annotations

import numpy as np

from driftline.report.date_formats import Resolution
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


def test_the_speed_of_a_short_stream_is_per_hour(findings):
    book = WordBook(findings)
    daily = build(findings, book).figures["drift"].figure
    book.setting = book.setting._replace(dates=Resolution("minute", True))
    hourly = build(findings, book).figures["drift"].figure
    assert daily.layout.yaxis.title.text.endswith("per day")
    assert hourly.layout.yaxis.title.text.endswith("per hour")
    for day, hour in zip(daily.data[:3], hourly.data[:3]):
        np.testing.assert_allclose(np.array(hour.y, float), np.array(day.y, float) / 24, rtol=0.02, atol=1e-3)
