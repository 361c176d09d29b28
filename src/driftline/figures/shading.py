"""Intervals marked in a figure: periods shaded over the full height, known events as bars along the bottom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import plotly.graph_objects as go

from driftline.core.display import figure_text
from driftline.core.times import Moment
from driftline.figures.style import DARK_ORANGE, ORANGE, TRUTH, faint
from driftline.figures.thinning import as_times, later, on_axis, since

Spans: TypeAlias = Sequence[tuple[Moment, Moment, str]]
"""(start, end, text) of intervals, on the axis of the times."""


def shade_periods(figure: go.Figure, periods: Spans) -> None:
    """Shade (start, end, text) behind the curves and write the text at the top; neighbours alternate in height."""
    for number, (start, end, text) in enumerate(sorted(periods, key=lambda period: as_times([period[0]])[0])):
        x0, x1 = on_axis(np.array([start, end]))
        figure.add_shape(
            type="rect",
            xref="x",
            yref="paper",
            x0=x0,
            x1=x1,
            y0=0,
            y1=1,
            layer="below",
            fillcolor=faint(ORANGE, 0.13),
            line_width=0,
        )
        _write(figure, start, end, text, y=1 - 0.07 * (number % 3), yanchor="top", colour=DARK_ORANGE)


def mark_events(figure: go.Figure, events: Spans) -> None:
    """Draw (start, end, name) as a bar at the bottom of the figure with the name above it."""
    for start, end, name in events:
        x0, x1 = on_axis(np.array([start, end]))
        bar = {"color": TRUTH, "width": 5}
        figure.add_shape(type="line", xref="x", yref="paper", x0=x0, x1=x1, y0=0.008, y1=0.008, line=bar)
        _write(figure, start, end, name, y=0.015, yanchor="bottom", colour=TRUTH)


def _write(figure: go.Figure, start: object, end: object, text: str, *, y: float, yanchor: str, colour: str) -> None:
    if not text:
        return
    first, last = as_times(np.array([start, end]))
    middle = on_axis(later(first, np.array([since(first, last) / 2])))[0]
    figure.add_annotation(
        x=middle,
        y=y,
        yref="paper",
        yanchor=yanchor,
        text=figure_text(text),
        showarrow=False,
        font={"size": 11, "color": colour},
        bgcolor="rgba(255, 255, 255, 0.65)",
    )
