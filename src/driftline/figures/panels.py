"""Small multiples: one panel per curve, for curves whose bands would hide each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from driftline.figures.band import band_outline, rounded, time_axis
from driftline.figures.bursts import DEPTHS
from driftline.figures.style import BLUE, MUTED, faint, new_figure
from driftline.figures.thinning import on_axis, thin

COLUMNS = 3
MOST_POINTS = 100
"""Largest number of points per panel; a panel is too small to show more."""


def plot_panels(
    panels: Sequence[tuple[str, Any]],
    *,
    bursts: Sequence[Sequence[tuple[Any, Any, int, str]]] = (),
    zero_line: bool = False,
    title: str | None = None,
    panel_height: int = 190,
) -> go.Figure:
    """Draw each curve with its band in a panel of its own.

    Parameters
    ----------
    panels
        (heading, curve) of each; headings are trusted text, curves are `Curve`, or plain ``(times, values)`` or
        ``(times, values, lower, upper)``.
    bursts
        For each panel its (start, end, level, text): stretches to shade behind the curve, the deeper the higher the
        level, with a bar at the foot that tells its text (trusted, too) when pointed at.
    zero_line
        Mark zero, for curves that go below it.
    title, panel_height
        Of the figure; of each panel.

    >>> figure = plot_panels([("one", ([0, 1], [1.0, 2.0])), ("two", ([0, 1], [3.0, 2.0]))])
    >>> [heading.text for heading in figure.layout.annotations]
    ['one', 'two']
    """
    n_rows = max(1, -(-len(panels) // COLUMNS))
    figure = make_subplots(
        rows=n_rows,
        cols=COLUMNS,
        subplot_titles=[heading for heading, _ in panels],
        vertical_spacing=min(0.18, 0.3 / n_rows),
        horizontal_spacing=0.07,
    )
    figure.update_layout(new_figure(height=panel_height * n_rows + (40 if title else 0), title=title).layout)
    for number, (_, given) in enumerate(panels):
        curve = thin(given, MOST_POINTS)
        place = {"row": number // COLUMNS + 1, "col": number % COLUMNS + 1}
        x = on_axis(curve.times)
        around, heights = band_outline(curve)
        shade = {"fill": "toself", "fillcolor": faint(BLUE), "line": {"width": 0}, "hoverinfo": "skip"}
        figure.add_scatter(x=around, y=heights, mode="lines", **shade, **place)
        line = {"color": BLUE, "width": 2}
        figure.add_scatter(
            x=x, y=rounded(curve.value), mode="lines", line=line, hovertemplate="%{y:.3~g}<extra></extra>", **place
        )
        if number < len(bursts):
            _add_bursts(figure, bursts[number], place)
        if zero_line:
            figure.add_hline(y=0, line={"color": MUTED, "width": 1, "dash": "dot"}, **place)
        time_axis(figure, curve.times)
    figure.update_annotations(font_size=13)
    figure.update_yaxes(rangemode="normal" if zero_line else "tozero", nticks=4)
    figure.update_xaxes(nticks=3, tickangle=0)  # three labels fit side by side on paper, too
    figure.update_layout(showlegend=False, hovermode="x", margin_t=70 if title else 36)
    return figure


def _add_bursts(figure: go.Figure, bursts: Sequence[tuple[Any, Any, int, str]], place: dict[str, int]) -> None:
    """Shade the bursts of one panel, and lay a bar for each along its foot, stronger ones on milder ones."""
    for start, end, level, told in sorted(bursts, key=lambda burst: burst[2]):
        shade = DEPTHS[min(level, len(DEPTHS)) - 1]
        x = on_axis(np.array([start, end]))
        figure.add_vrect(x0=x[0], x1=x[1], fillcolor=faint(shade, 0.2), line_width=0, layer="below", **place)
        figure.add_scatter(
            x=x,
            y=[0, 0],
            mode="lines",
            line={"color": shade, "width": 6},
            text=[told, told],
            hovertemplate="%{text}<extra></extra>",
            **place,
        )
