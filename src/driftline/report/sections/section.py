"""What a section of the report is: a name, a title, a template, and a function that fills it from the findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import plotly.graph_objects as go

from driftline.analysis.all_findings import Findings
from driftline.report.word_book import WordBook

LAST = 1_000
"""Position of a section that does not ask for another."""


class Drawn(NamedTuple):
    """A figure of a section, with words for those who cannot see it."""

    figure: go.Figure
    description: str


@dataclass(frozen=True)
class Content:
    """What a section shows: values for its template, and figures by the names under which the template places them."""

    values: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, Drawn] = field(default_factory=dict)


@dataclass(frozen=True)
class Section:
    """One part of the page. `build` returns None when the findings have nothing for it; the page then leaves it out.

    `name` is the anchor, `title` the heading, `short_title` its name in the navigation (empty: not in it), `template` a
    file in ``report/templates``. `position` orders the page; sections that ask for none come last.
    """

    name: str
    title: str
    template: str
    build: Callable[[Findings, WordBook], Content | None]
    short_title: str = ""
    position: int = LAST
