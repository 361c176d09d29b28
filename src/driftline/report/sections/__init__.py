"""The sections of the report, in their order on the page.

A new section is one template in ``report/templates``, one small file here, and one line in `SECTIONS`.
"""

from driftline.report.sections import (
    bursts,
    classifier,
    cycles,
    drift,
    few_labels,
    labels,
    long_documents,
    periods,
    reading,
    records,
    small,
    summary,
    text,
    topics,
    truth,
    volume,
    words,
)
from driftline.report.sections.section import Content, Drawn, Section

SECTIONS: tuple[Section, ...] = (
    summary.SECTION,
    small.SECTION,
    truth.SECTION,
    words.SECTION,
    cycles.SECTION,
    drift.SECTION,
    topics.SECTION,
    long_documents.SECTION,
    bursts.SECTION,
    periods.SECTION,
    volume.SECTION,
    labels.SECTION,
    classifier.SECTION,
    few_labels.SECTION,
    records.SECTION,
    text.SECTION,
    reading.SECTION,
)
"""All sections; a section without content is left out."""

__all__ = ["SECTIONS", "Content", "Drawn", "Section"]
