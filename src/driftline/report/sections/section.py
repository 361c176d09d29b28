"""A section of the report: a name, a title, a template, and a function that fills it from the findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import plotly.graph_objects as go

from driftline.analysis.all_findings import Findings
from driftline.report.word_book import WordBook

LAST = 1_000
"""Default position of a section."""


class Drawn(NamedTuple):
    """A figure of a section, with a text alternative."""

    figure: go.Figure
    description: str


@dataclass(frozen=True)
class Content:
    """Content of a section: values for its template, figures by the names that the template uses, data for scripts."""

    values: Mapping[str, object] = field(default_factory=dict)
    figures: Mapping[str, Drawn] = field(default_factory=dict)
    data: object = None
    """Plain data, which the scripts of the page find under the name of the section."""


@dataclass(frozen=True)
class Section:
    """One part of the page. `build` returns None if the findings have nothing for it; the page then omits it.

    `name` is the anchor, `title` the heading, `short_title` its name in the navigation (empty: not in it), `template` a
    file in ``report/templates``. `position` orders the page; sections without one come last.
    """

    name: str
    title: str
    template: str
    build: Callable[[Findings, WordBook], Content | None]
    short_title: str = ""
    position: int = LAST
