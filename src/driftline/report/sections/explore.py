"""Any word, any two sets: curves and comparisons that the reader requests, with their documents."""

from __future__ import annotations

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.explorable import EXPLORABLE
from driftline.core.date_precision import hover_format
from driftline.report.date_formats import unit_name
from driftline.report.sections.section import Content, Section
from driftline.report.word_book import WordBook
from driftline.report.word_index import GROUPS


def build(findings: Findings, book: WordBook) -> Content | None:
    """Prepare the search box and the comparison; scripts fill them from the packed words and documents."""
    found = EXPLORABLE.of(findings)
    if found is None or not found.words:
        return None
    days = found.times.astype("datetime64[D]")
    return Content(
        {
            "n_words": len(found.words) + found.n_left_out,
            "n_documents": len(found.times),
            "first": str(days.min()),
            "last": str(days.max()),
            "unit": unit_name(found.exchanged_kind),
            "hover_dates": hover_format(),
            "groups": [name for name in GROUPS if getattr(found, name) is not None],
        }
    )


SECTION = Section("explore", "Any word, any two sets", "explore.html", build, "Explore", position=40)
