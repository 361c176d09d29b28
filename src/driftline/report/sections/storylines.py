"""Storylines: groups of similar documents that follow each other in time, drawn as streams and listed."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
import plotly.graph_objects as go

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.storylines import STORYLINES, Storyline, StorylineEvent, StorylineFindings
from driftline.figures import plot_storylines
from driftline.nonparametric import Story, StoryEvent, StoryShares
from driftline.report.date_formats import clock, moment, short_day
from driftline.report.numbers import counted, share
from driftline.report.sections.section import Content, Drawn, Section
from driftline.report.word_book import WordBook

PHRASES = {
    "born": ("began", ""),
    "split": ("{} split off", "split off {}"),
    "merged": ("{} joined", "joined {}"),
    "revived": ("returned as {}", "returned from {}"),
}
"""Text for an event in the row of its first storyline, and in that of the other."""
MOST_EVENTS = 4
"""Largest number of events listed for a storyline; of more, one fewer are listed, and the others counted."""


def build(findings: Findings, book: WordBook) -> Content | None:
    """Draw and list the largest storylines."""
    found = STORYLINES.of(findings)
    if not found.storylines:
        return None
    days = found.memory_days
    when = clock if days < 1 else short_day
    values = {
        "found": found,
        "memory": counted(round(24 * days), "hour") if days <= 1 else counted(round(days), "day"),
        "rows": [_row(one, found, when) for one in found.storylines],
        "widest": share(max(float(one.curve.value.max(initial=0.0)) for one in found.storylines), 1.0),
    }
    description = f"Shares of the {len(found.storylines)} largest storylines in the {book.setting.documents} over time."
    return Content(values, {"storylines": Drawn(_figure(found), description)})


def _row(one: Storyline, found: StorylineFindings, when: Callable[[str], str]) -> dict[str, object]:
    shown = {each.number for each in found.storylines}
    events = [event for event in found.events if one.number in (event.storyline, event.other)]
    return {
        "storyline": one,
        "start": when(one.start),
        "end": when(one.end),
        "share": share(one.n_documents, found.n_grouped),
        "events": _listed([_told(event, one.number, shown, when) for event in events]),
    }


def _listed(events: list[str]) -> list[str]:
    """Return the first events, and how many others there are: in a long stream a storyline may return every month."""
    kept = events if len(events) <= MOST_EVENTS else events[: MOST_EVENTS - 1]
    return [*kept, f"{len(events) - len(kept)} more events"] if len(events) > len(kept) else kept


def _told(event: StorylineEvent, number: int, shown: Collection[int], when: Callable[[str], str]) -> str:
    """Return an event as text for the row of a storyline, which already shows the time of its last document."""
    if event.kind == "ended":
        return "ended"
    is_other = event.other == number
    partner = event.storyline if is_other else event.other
    phrase = PHRASES[event.kind][is_other].format(f"storyline {partner}" if partner in shown else "another storyline")
    return f"{phrase} on {when(event.time)} (p = {event.probability:.2f})"


def _figure(found: StorylineFindings) -> go.Figure:
    """Draw the storylines as the model would, from the findings."""
    times = found.others.times
    shape = (len(found.storylines) + 1, len(times))
    bands = {name: np.zeros(shape) for name in ("value", "lower", "upper")}
    for row, curve in enumerate([*(one.curve for one in found.storylines), found.others]):
        places = np.searchsorted(times, curve.times)
        for name, band in bands.items():
            band[row, places] = getattr(curve, name)
    numbers = np.array([*(one.number for one in found.storylines), -1])
    shares = StoryShares(times, numbers, bands["value"], bands["lower"], bands["upper"], found.memory_days / 3)
    stories = [
        Story(one.number, moment(one.start), moment(one.end), one.n_documents, [*one.words], 0, "", 1.0, [], [])
        for one in found.storylines
    ]
    events = [
        StoryEvent(event.kind, moment(event.time), event.storyline, event.other, event.probability)
        for event in found.events
    ]
    examples = {one.number: one.examples[0].text for one in found.storylines if one.examples}
    return plot_storylines(shares, stories, events, examples=examples)


SECTION = Section("storylines", "Storylines", "storylines.html", build, "Storylines", position=85)
