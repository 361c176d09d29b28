"""What burst: words that came all at once, and how intense each label was."""

from __future__ import annotations

from driftline.analysis.findings import Findings
from driftline.figures import plot_bursts, plot_panels
from driftline.figures.escaping import as_text
from driftline.report.dates import moment, span
from driftline.report.sections.section import Content, Drawn, Section
from driftline.report.series import as_curve
from driftline.report.word_book import WordBook

LISTED = 12
MOST_LABELS = 6


def build(findings: Findings, book: WordBook) -> Content | None:
    """Draw the bursts under the volume, list the weightiest, and draw the labels' intensities if there are labels."""
    if not findings.bursts:
        return None
    figures = {
        "bursts": Drawn(
            plot_bursts(
                [(b.word, moment(b.start), moment(b.end), b.level, b.weight) for b in findings.bursts],
                volume=as_curve(findings.volume) if len(findings.volume.times) > 1 else None,
            ),
            "A timeline of the words that burst; the weightiest are listed below.",
        )
    }
    if findings.intensities:
        figures["intensities"] = Drawn(
            plot_panels([(as_text(each.label), as_curve(each.curve)) for each in findings.intensities[:MOST_LABELS]]),
            "How many documents a day each label brought, with bands.",
        )
    weightiest = sorted(findings.bursts, key=lambda burst: -burst.weight)[:LISTED]
    return Content(
        {
            "listed": [(burst, span(burst.start, burst.end, short=True)) for burst in weightiest],
            "has_intensities": bool(findings.intensities),
        },
        figures,
    )


SECTION = Section("bursts", "What burst", "bursts.html", build, "Bursts")
