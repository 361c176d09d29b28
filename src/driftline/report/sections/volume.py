"""The volume of documents."""

from __future__ import annotations

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.by_label import LABELS
from driftline.analysis.findings.source_summary import SOURCE
from driftline.analysis.findings.truth import TRUTH
from driftline.analysis.findings.volume import VOLUME
from driftline.figures import plot_volume
from driftline.report.date_formats import moment
from driftline.report.sections.section import Content, Drawn, Section
from driftline.report.sentences import per_period, volume_period
from driftline.report.word_book import WordBook

_MOST_LABELS = 8
FEWEST_DOCUMENTS = 10
"""Number of documents below which a rate says nothing: two on different days are not forty per day."""


def build(findings: Findings, book: WordBook) -> Content | None:
    """Draw documents per day, or per longer period: all, and stacked by label if there are labels."""
    if len(VOLUME.of(findings).times) < 2 or SOURCE.of(findings).n_documents < FEWEST_DOCUMENTS:
        return None
    truth = TRUTH.of(findings)
    events = truth.bursts if truth is not None else []
    marked = [(moment(start), moment(end), name) for name, start, end in events]
    period, length = volume_period(VOLUME.of(findings))
    unit = f"{book.setting.documents} per {period}"
    total = per_period(VOLUME.of(findings), length)
    drawn = plot_volume(total, events=marked, unit=unit, height=260)
    figures = {"volume": Drawn(drawn, f"{unit.capitalize()} over time, with a band.")}
    labels = {
        each.label: per_period(each.volume, length)
        for each in LABELS.of(findings)[:_MOST_LABELS]
        if len(each.volume.times) > 1
    }
    if len(labels) > 1:
        stacked = plot_volume(total, labels=labels, stacked=True, unit=unit)
        figures["volume-labels"] = Drawn(stacked, f"{unit.capitalize()} by label.")
    left = len(SOURCE.of(findings).labels) - len(labels)
    return Content({"by_label": len(labels) > 1, "n_labels_left": left, "period": period}, figures)


SECTION = Section("volume", "How much was written", "volume.html", build, "Volume", position=100)
