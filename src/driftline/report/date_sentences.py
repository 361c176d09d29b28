"""Sentences about dates and small streams: excluded documents, gaps, and why no change is claimed."""

from __future__ import annotations

from collections.abc import Iterator

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.dates import DATES, DatesAside
from driftline.analysis.findings.small_stream import SMALL
from driftline.analysis.findings.text_record import TEXT
from driftline.core.times import days_between
from driftline.report.date_formats import Resolution, clock, ends_at, moment
from driftline.report.numbers import counted, listed

_MOST_HOLES = 3
_MINUTES_BELOW = 3.0
"""Length in days of the shortest gap below which all gaps are given to the minute."""
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
    """Return the reason why no change is claimed for a small stream."""
    small = SMALL.of(findings)
    if small is None:
        return ""
    if not small.n_documents:
        return "There are no documents, so no change can be measured."
    if not small.words:
        return f"There are no words to count in {counted(small.n_documents, 'document')}, so no change can be measured."
    if small.n_documents >= small.fewest:
        same = "the same time" if small.n_times == 1 else "one of two times"
        return f"All {small.n_documents:,} documents have {same}, so no change can be measured."
    text = TEXT.of(findings)
    repeated = text is not None and text.n_read > text.n_counted
    are = "is only one document" if small.n_documents == 1 else f"are only {small.n_documents:,} documents"
    return (
        f"{'Without duplicates there' if repeated else 'There'} {are}. Below {small.fewest:,}, changes can hardly be "
        "distinguished from chance, so none is reported; words and documents are listed instead."
    )


def why_aside(aside: DatesAside) -> str:
    """Return the reason why some documents were excluded.

    >>> why_aside(DatesAside("imported", 1118, "2001-06-27T23:02:00Z", "2001-06-27T23:02:00Z", []))
    'all dated 27 Jun 2001, 23:02, as by an import'
    """
    if aside.reason == "imported":
        if aside.first == aside.last:
            return f"all dated {clock(aside.first)}, as by an import"
        return f"dated at a few instants from {clock(aside.first)} to {clock(aside.last)}, as by imports"
    start, end = ends_at(aside.first, aside.last, Resolution("day", True))
    when = end if aside.first[:10] == aside.last[:10] else f"{start} to {end}"
    return f"{_WHY[aside.reason]} ({when})"


def _set_aside(findings: Findings) -> Iterator[str]:
    dates = DATES.of(findings)
    if dates is not None and dates.aside:
        parts = [f"{counted(each.n_documents, 'document')} {why_aside(each)}" for each in dates.aside]
        yield f"Excluded from curves and tests, and listed with the records: {listed(parts)}."


def _holes(findings: Findings) -> Iterator[str]:
    dates = DATES.of(findings)
    if dates is not None and dates.holes:
        shortest = min(days_between(moment(hole.start), moment(hole.end)) for hole in dates.holes)
        to = Resolution("minute" if shortest < _MINUTES_BELOW else "day", True)
        spans = ["from {} to {}".format(*ends_at(hole.start, hole.end, to)) for hole in dates.holes]
        if len(spans) > _MOST_HOLES:
            spans[_MOST_HOLES:] = [f"in {counted(len(spans) - _MOST_HOLES, 'more interval')}"]
        small = SMALL.of(findings)
        curves = "" if small is not None else "; curves of words are interrupted there"
        yield f"There are no documents {listed(spans)}{curves}."
