"""The course of themes within long documents, and how it changed over the stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from driftline.analysis.all_findings import Findings
from driftline.analysis.findings.long_documents import LONG_DOCUMENTS, DocumentEra, DocumentFlow, LongDocuments
from driftline.figures.flow import plot_flow, plot_flow_panels
from driftline.figures.style import colour
from driftline.report.date_formats import clock, period
from driftline.report.sections.section import Content, Drawn, Section
from driftline.report.series import drawing
from driftline.report.word_book import WordBook

if TYPE_CHECKING:
    import plotly.graph_objects as go


NAMED = 4
LEAST_SHARE = 0.02
"""Smallest share of the text for which a theme's position is reported."""


def build(findings: Findings, book: WordBook) -> Content | None:
    """Draw the mean course of the documents era by era, and a few complete documents; list the themes."""
    found = LONG_DOCUMENTS.of(findings)
    if found is None:
        return None
    names = [", ".join(theme.words[:NAMED]) for theme in found.themes]
    eras = [_name(era) for era in found.eras]
    panels = plot_flow_panels([(name, era.shares) for name, era in zip(eras, found.eras)], names)
    figures = {"eras": Drawn(panels, "Mean shares of the themes along the documents, era by era.")}
    for number, document in enumerate(found.documents):
        figures[f"document-{number}"] = Drawn(
            _flow(document, names), "Shares of the themes along one document; its segments are listed below it."
        )
    return Content(
        {
            "found": found,
            "themes": _themes(found),
            "eras": list(zip(eras, found.eras)),
            "documents": [_document(document, number, eras) for number, document in enumerate(found.documents)],
        },
        figures,
    )


def _name(era: DocumentEra) -> str:
    """Return the name of an era: its years, or its dates if it lies within one year."""
    first, last = era.start[:4], era.end[:4]
    return f"{first}–{last}" if first != last else period(era.start, era.end)


def _flow(document: DocumentFlow, names: list[str]) -> go.Figure:
    figure = plot_flow(
        document.shares,
        document.positions,
        names,
        turns=[document.positions[turn.place] for turn in document.turns[1:]],
        passages=[document.passages[number] for number in document.passage_of],
        height=230,
    )
    figure.update_layout(showlegend=False, margin_t=8, hovermode="x")
    figure.update_yaxes(title_text="")
    return figure


def _themes(found: LongDocuments) -> list[dict[str, object]]:
    rows = []
    for number, theme in enumerate(found.themes):
        along = [np.array([place[number] for place in era.shares]) for era in found.eras]
        rows.append(
            {
                "theme": theme,
                "colour": Markup(colour(number)),
                "spark": drawing(theme.curve, width=96, height=24, points=30),
                "shares": [float(shares.mean()) for shares in along],
                "places": [_middle(shares) for shares in along],
            }
        )
    return rows


def _middle(shares: np.ndarray) -> float | None:
    """Return the mean position of the theme in the documents: 0 is the beginning, 1 the end."""
    if not len(shares) or shares.mean() < LEAST_SHARE:
        return None
    return float(((np.arange(len(shares)) + 0.5) / len(shares)) @ shares / shares.sum())


def _document(document: DocumentFlow, number: int, eras: list[str]) -> dict[str, object]:
    return {
        "figure": f"document-{number}",
        "document": document,
        "why": "The latest" if document.kind == "latest" else f"Most typical of {eras[document.era]}",
        "time": clock(document.time),
        "turns": [
            {
                "words": turn.words,
                "first": document.positions[turn.place],
                "colours": [Markup(colour(theme)) for theme in turn.themes],
            }
            for turn in document.turns
        ],
    }


SECTION = Section("long-documents", "Themes within documents", "long_documents.html", build, "Documents", position=70)
