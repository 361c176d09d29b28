"""Sentences about dates and small streams: excluded documents, gaps, and why no change is claimed."""

from __future__ import annotations

from collections.abc import Iterator

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.dates import DATES, DatesAside
from driftline.analysis.findings.small_stream import SMALL
from driftline.analysis.findings.text_record import TEXT
from driftline.report.date_formats import Resolution, clock, date_at, day
from driftline.report.numbers import counted, listed

_MOST_HOLES = 3
_WHY = {
    "early": "dated long before all others",
    "late": "dated long after all others",
    "future": "dated in the future",
    "since": "dated before the requested first date",
    "until": "dated after the requested last date",
}


def date_sentences(findings: Findings) -> list[str]:
    """Return the notes on dates: a sentence on excluded documents, one on gaps."""
    return [*_set_aside(findings), *_holes(findings)]


def small_sentence(findings: Findings) -> str:
    """Return why no change is claimed for a small stream."""
    small = SMALL.of(findings)
    if small is None:
        return ""
    if not small.n_documents:
        return "There are no documents, so nothing can be said about change."
    if not small.words:
        return f"There are no words to count in {counted(small.n_documents, 'document')}, so nothing can be said."
    if small.n_documents >= small.fewest:
        same = "the same time" if small.n_times == 1 else "one of two times"
        return f"All {small.n_documents:,} documents have {same}, so nothing can be said about change."
    text = TEXT.of(findings)
    repeated = text is not None and text.n_read > text.n_counted
    are = "is only one document" if small.n_documents == 1 else f"are only {small.n_documents:,} documents"
    return (
        f"{'Without duplicates there' if repeated else 'There'} {are}. Below {small.fewest:,}, changes can hardly be "
        "distinguished from chance, so none is reported; words and documents are listed instead."
    )


def why_aside(aside: DatesAside) -> str:
    """Return why some documents were excluded.

    >>> why_aside(DatesAside("imported", 1118, "2001-06-27T23:02:00Z", "2001-06-27T23:02:00Z", []))
    'all dated 27 Jun 2001, 23:02, as by an import'
    """
    if aside.reason == "imported":
        if aside.first == aside.last:
            return f"all dated {clock(aside.first)}, as by an import"
        return f"dated at a few instants from {clock(aside.first)} to {clock(aside.last)}, as by imports"
    when = day(aside.first) if aside.first[:10] == aside.last[:10] else f"{day(aside.first)} to {day(aside.last)}"
    return f"{_WHY[aside.reason]} ({when})"


def _set_aside(findings: Findings) -> Iterator[str]:
    dates = DATES.of(findings)
    if dates is not None and dates.aside:
        parts = [f"{counted(each.n_documents, 'document')} {why_aside(each)}" for each in dates.aside]
        yield f"Excluded from curves and tests, and listed with the records: {listed(parts)}."


def _holes(findings: Findings) -> Iterator[str]:
    dates = DATES.of(findings)
    if dates is not None and dates.holes:
        spans = [f"from {start} to {end}" for start, end in (_ends(hole.start, hole.end) for hole in dates.holes)]
        if len(spans) > _MOST_HOLES:
            spans[_MOST_HOLES:] = [f"in {counted(len(spans) - _MOST_HOLES, 'more interval')}"]
        yield f"There are no documents {listed(spans)}; curves are interrupted there."


def _ends(start: str, end: str) -> tuple[str, str]:
    """Return the first and last day of a gap, or the times of day if they are on one.

    >>> _ends("2003-03-20T05:00:00Z", "2003-03-20T09:30:00Z")
    ('20 March 2003, 05:00', '20 March 2003, 09:30')
    """
    if day(start) != day(end):
        return day(start), day(end)
    to_the_minute = Resolution("minute", True)
    return date_at(start, to_the_minute), date_at(end, to_the_minute)
