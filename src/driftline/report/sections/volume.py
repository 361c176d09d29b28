"""How much was written."""

from __future__ import annotations

from driftline.analysis.findings import Findings
from driftline.figures import plot_volume
from driftline.report.date_formats import moment
from driftline.report.sections.section import Content, Drawn, Section
from driftline.report.series import as_curve
from driftline.report.word_book import WordBook

_MOST_LABELS = 8


def build(findings: Findings, book: WordBook) -> Content | None:
    """Draw documents a day: all, and laid on each other by label where there are labels."""
    if len(findings.volume.times) < 2:
        return None
    events = findings.truth.bursts if findings.truth is not None else []
    marked = [(moment(start), moment(end), name) for name, start, end in events]
    total = as_curve(findings.volume)
    figures = {"volume": Drawn(plot_volume(total, events=marked, height=260), "Documents a day over time, with band.")}
    labels = {
        each.label: as_curve(each.volume) for each in findings.labels[:_MOST_LABELS] if len(each.volume.times) > 1
    }
    if len(labels) > 1:
        figures["volume-labels"] = Drawn(plot_volume(total, labels=labels, stacked=True), "Documents a day by label.")
    return Content({"by_label": len(labels) > 1, "n_labels_left": len(findings.labels) - len(labels)}, figures)


SECTION = Section("volume", "How much was written", "volume.html", build, "Volume")
