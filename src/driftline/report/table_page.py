"""Figures and tables as a separate page: one file, with the same protection as the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import plotly.graph_objects as go
from markupsafe import Markup

from driftline import __version__
from driftline.persistence.atomic_file import write_text
from driftline.report.packed_plotly import packed_plotly, plotly_scripts
from driftline.report.page_protection import content_security_policy, escape_json
from driftline.report.templating import asset, new_environment


class Cell(NamedTuple):
    """A cell of the table: its text, the documents listed under it, and whether it is a number."""

    text: str
    documents: Sequence[str] = ()
    number: bool = False


class PageTable(NamedTuple):
    """A table with its caption and headings."""

    caption: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]


class TablePage(NamedTuple):
    """Content of the page; everything but figures is plain text. `notes` are listed above the figure.

    `more` are further figures with their descriptions, below the first table, and `more_tables` come after them.
    """

    title: str
    kicker: str
    figure: go.Figure
    description: str
    caption: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()
    more: Sequence[tuple[go.Figure, str]] = ()
    more_tables: Sequence[PageTable] = ()

    @property
    def table(self) -> PageTable:
        """The first table."""
        return PageTable(self.caption, self.headings, self.rows)


def write_table_page(page: TablePage, path: str | Path) -> Path:
    """Write the page to the file `path` and return the path; it works offline and makes no network requests."""
    path = Path(path)
    write_text(path, render_table_page(page))
    return path


def render_table_page(page: TablePage) -> str:
    """Return the page as HTML."""
    script = asset("table_page.js")
    figures = [page.figure, *(figure for figure, _ in page.more)]
    return (
        new_environment()
        .get_template("table_page.html")
        .render(
            page=page,
            heights=[int(figure.layout.height or 420) for figure in figures],
            version=__version__,
            policy=Markup(content_security_policy([*plotly_scripts(), script])),
            style=Markup(asset("report.css")),
            plotly=packed_plotly(),
            script=Markup(script),
            figures=Markup(escape_json(f"[{','.join(figure.to_json() for figure in figures)}]")),
        )
    )
