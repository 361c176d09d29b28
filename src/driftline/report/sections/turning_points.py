"""Turning points: when the volume, a topic, a label or a word turned from one level to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.topics import TOPICS
from driftline.analysis.findings.turning_points import (
    LEAST_PROBABILITY,
    STEPS,
    TURNING_POINTS,
    TurningPoint,
    topic_name,
)
from driftline.analysis.findings.turning_series import TURNING_SERIES, TurningSeries
from driftline.core.display import figure_text
from driftline.figures import plot_levels
from driftline.report.date_formats import short_day, span
from driftline.report.explore_address import can_explore, explore_address
from driftline.report.numbers import rate
from driftline.report.sections.section import Content, Drawn, Section
from driftline.report.word_book import WordBook
from driftline.smoothing.curve import Curve

AROUND = 3.0
"""Number of steps before and after a change whose documents are listed by its link."""
LEAST_SHOWN = 0.05
"""Smallest level that is written as a number."""
_MOST = 40


def build(findings: Findings, book: WordBook) -> Content | None:
    """List the changes of level in the order of time."""
    points = sorted(TURNING_POINTS.of(findings), key=lambda point: point.time)
    if not points:
        return None
    shown = sorted(sorted(points, key=lambda point: -_ratio(point))[:_MOST], key=lambda point: point.time)
    searched = can_explore(findings)
    topics = {topic_name(topic): topic.words for topic in TOPICS.of(findings)}
    values = {
        "rows": [{**_row(point), "search": _address(point, topics) if searched else ""} for point in shown],
        "left_out": len(points) - len(shown),
        "least": LEAST_PROBABILITY,
        "steps": _steps(points),
    }
    series = TURNING_SERIES.of(findings)
    if not series:
        return Content(values)
    panels = [_panel(one, book) for one in series]
    description = f"Levels of {', '.join(heading for heading, _, _ in panels)} over time."
    return Content(values, {"levels": Drawn(plot_levels(panels), description)})


def _panel(series: TurningSeries, book: WordBook) -> tuple[str, Curve, Curve]:
    """Return the heading of a series, its observations and its levels, in the units of the table."""
    if series.of == "volume":
        return f"{book.setting.noun} per day", series.observed, series.levels
    heading = figure_text(series.name if series.of == "word" else f"{series.of} {series.name}", longest=30)
    return heading, _per_thousand(series.observed), _per_thousand(series.levels)


def _per_thousand(curve: Curve) -> Curve:
    return curve._replace(value=1_000 * curve.value, lower=1_000 * curve.lower, upper=1_000 * curve.upper)


def _ratio(point: TurningPoint) -> float:
    """Return the change of level as a ratio of at least one; changes of the volume come first."""
    low, high = sorted((point.before, point.after))
    return float("inf") if point.of == "volume" else high / max(low, 1e-9)


def _address(point: TurningPoint, topics: Mapping[str, Sequence[str]]) -> str:
    """Return the address of the documents around a change: from some steps before it to some after it."""
    span = np.timedelta64(max(round(AROUND * point.step_days), 1), "D")
    start = str(np.datetime64(point.earliest[:10], "D") - span)
    end = str(np.datetime64(point.latest[:10], "D") + span)
    words = [point.name] if point.of == "word" else topics.get(point.name, ()) if point.of == "topic" else ()
    return explore_address(words, start, end, label=point.name if point.of == "label" else "")


def _steps(points: Sequence[TurningPoint]) -> str:
    """Return the names of the steps of the series: days, weeks, months or years."""
    names = dict(zip(STEPS, ("days", "weeks", "months", "years")))
    return " or ".join(name for days, name in names.items() if any(point.step_days == days for point in points))


def _level(value: float) -> str:
    """Return a level as text; one too small to show is given as an upper bound.

    >>> _level(0.0079), _level(3.456)
    ('< 0.05', '3.46')
    """
    return rate(value) if value >= LEAST_SHOWN else f"< {LEAST_SHOWN}"


def _row(point: TurningPoint) -> dict[str, object]:
    unit = 1.0 if point.of == "volume" else 1_000.0
    levels = [
        f"{_level(unit * level)} ({'0' if unit * low < LEAST_SHOWN else rate(unit * low)} to {rate(unit * high)})"
        for level, low, high in (
            (point.before, point.before_low, point.before_high),
            (point.after, point.after_low, point.after_high),
        )
    ]
    certain = point.earliest == point.latest
    return {
        "when": short_day(point.time) if certain else span(point.earliest, point.latest, short=True),
        "of": point.of,
        "name": point.name,
        "rose": point.after > point.before,
        "before": levels[0],
        "after": levels[1],
        "probability": "> 99 %" if point.probability > 0.99 else f"{100 * point.probability:.0f} %",
    }


SECTION = Section("turning-points", "Turning points", "turning_points.html", build, "Turning points", position=55)
