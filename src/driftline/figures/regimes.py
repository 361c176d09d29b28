"""Series that change from one level to another: the observations and the level at every time, one panel per series."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from driftline.figures.band import band_outline, rounded, time_axis
from driftline.figures.panels import COLUMNS
from driftline.figures.style import BLUE, MUTED, faint, new_figure
from driftline.figures.thinning import CurveLike, as_curve, on_axis, thin

MOST_POINTS = 200
"""Largest number of observations drawn per panel."""


def plot_levels(
    panels: Sequence[tuple[str, CurveLike, CurveLike]], *, title: str | None = None, panel_height: int = 190
) -> go.Figure:
    """Draw each series in a separate panel: dots for the observations, steps with a band for the level.

    Parameters
    ----------
    panels
        (heading, observed, levels) of each; headings are trusted text. Observations and levels are `Curve`, or plain
        ``(times, values)`` or ``(times, values, lower, upper)``.
    title, panel_height
        Title of the figure; height of each panel, in pixels.

    >>> figure = plot_levels([("war", ([0, 1, 2], [1.0, 5.0, 4.0]), ([0, 1, 2], [1.0, 4.5, 4.5]))])
    >>> figure.data[-1].line.shape
    'hv'
    """
    n_rows = max(1, -(-len(panels) // COLUMNS))
    figure = make_subplots(
        rows=n_rows,
        cols=COLUMNS,
        subplot_titles=[heading for heading, _, _ in panels],
        vertical_spacing=min(0.18, 0.3 / n_rows),
        horizontal_spacing=0.07,
    )
    figure.update_layout(new_figure(height=panel_height * n_rows + (40 if title else 0), title=title).layout)
    hover = "%{y:.3~g}<extra></extra>"
    for number, (_, given, given_levels) in enumerate(panels):
        observed, levels = thin(given, MOST_POINTS), as_curve(given_levels)
        around, heights = band_outline(levels)
        figure.add_traces(
            [
                go.Scatter(
                    x=on_axis(observed.times),
                    y=rounded(observed.value),
                    mode="markers",
                    marker={"color": MUTED, "size": 3},
                    hovertemplate=hover,
                ),
                go.Scatter(
                    x=around, y=heights, mode="lines", fill="toself", fillcolor=faint(BLUE), line={"width": 0},
                    hoverinfo="skip",
                ),
                go.Scatter(
                    x=on_axis(levels.times),
                    y=rounded(levels.value),
                    mode="lines",
                    line={"color": BLUE, "width": 2, "shape": "hv"},
                    hovertemplate=hover,
                ),
            ],
            rows=number // COLUMNS + 1,
            cols=number % COLUMNS + 1,
        )  # fmt: skip
    for _, given, _ in panels[-1:]:  # the axes of all panels are of the same kind
        time_axis(figure, as_curve(given).times)
    figure.update_annotations(font_size=13)
    figure.update_yaxes(rangemode="tozero", nticks=4)
    figure.update_xaxes(nticks=3, tickangle=0)
    figure.update_layout(showlegend=False, hovermode="x", margin_t=70 if title else 36, meta="panels")
    return figure
