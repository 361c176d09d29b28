"""Records that were read, and records that were rejected."""

from __future__ import annotations

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.dates import DATES
from driftline.analysis.findings.source_summary import SOURCE
from driftline.report.date_sentences import why_aside
from driftline.report.sections.section import Content, Section
from driftline.report.word_book import WordBook

_MOST_LABELS = 30


def build(findings: Findings, book: WordBook) -> Content | None:
    """Show that records read and rejected add up to all records, and why records were rejected."""
    source = SOURCE.of(findings)
    reasons = sorted(source.rejected_reasons.items(), key=lambda reason: (-reason[1], reason[0]))
    labels = sorted(source.labels.items(), key=lambda label: -label[1])
    dates = DATES.of(findings)
    return Content(
        {
            "source": source,
            "present": source.n_documents + source.n_rejected,
            "reasons": reasons,
            "labels": labels[:_MOST_LABELS],
            "n_labels_left": len(labels[_MOST_LABELS:]),
            "n_with_other_labels": sum(n for _, n in labels[_MOST_LABELS:]),
            "aside": [] if dates is None else [(each, why_aside(each)) for each in dates.aside],
        }
    )


SECTION = Section("records", "What was read", "records.html", build, "Records", position=140)
