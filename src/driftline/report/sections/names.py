"""Names and phrases: which people, places, products and noun phrases became more or less frequent."""

from __future__ import annotations

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.names import NAMES, ChangedName
from driftline.report.explore_address import counted_parts, counted_words, explore_address
from driftline.report.numbers import rate
from driftline.report.sections.section import Content, Section
from driftline.report.word_book import WordBook
from driftline.sequences.text_sentences import capitals_warning


def build(findings: Findings, book: WordBook) -> Content | None:
    """List names, then phrases, that rose or fell, most certain first."""
    found = NAMES.of(findings)
    if not found.changed:
        return None
    counted = counted_words(findings)
    groups = {
        title: [_row(one, counted) for one in found.changed if one.kind == kind]
        for title, kind in (("Names", "name"), ("Noun phrases", "phrase"))
    }
    warning = "" if found.capitals is None else capitals_warning(found.capitals)
    shown = {title: rows for title, rows in groups.items() if rows}
    return Content({"groups": shown, "found": found, "warning": warning})


def _row(one: ChangedName, counted: frozenset[str]) -> dict[str, object]:
    parts = counted_parts(one.text, counted)
    return {
        "text": one.text,
        "search": explore_address(parts) if parts else "",
        "change": one.change,
        "early": rate(1_000 * one.early),
        "late": rate(1_000 * one.late),
        "n_documents": one.n_documents,
        "q_value": "< 0.001" if one.q_value < 0.001 else f"{one.q_value:.3f}",
    }


SECTION = Section("names", "Names and phrases", "names.html", build, "Names", position=35)
