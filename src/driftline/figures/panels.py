"""Small multiples: one panel per curve, for curves whose bands would hide each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from driftline.core.times import Moment
from driftline.figures.band import band_outline, rounded, time_axis
from driftline.figures.bursts import DEPTHS
from driftline.figures.style import BLUE, MUTED, faint, new_figure
from driftline.figures.thinning import CurveLike, as_curve, on_axis, thin

Burst: TypeAlias = tuple[Moment, Moment, int, str]
"""(start, end, level, text) of an interval to shade."""

COLUMNS = 3
GAP = 70
"""Distance between panels in pixels: two lines of labels, where the date is below the time of day, and a heading."""
MOST_POINTS = 100
"""Largest number of points per panel; a panel is too small to show more."""


def plot_panels(
    panels: Sequence[tuple[str, CurveLike]],
    *,
    bursts: Sequence[Sequence[Burst]] = (),
    zero_line: bool = False,
    title: str | None = None,
    panel_height: int = 190,
) -> go.Figure:
    """Draw each curve with its band in a separate panel.

    Parameters
    ----------
    panels
        (heading, curve) of each; headings are trusted text, curves are `Curve`, or plain ``(times, values)`` or
        ``(times, values, lower, upper)``.
    bursts
        For each panel its (start, end, level, text): intervals to shade behind the curve, darker for higher levels,
        with a bar at the bottom that shows its text (also trusted) on hover.
    zero_line
        Mark zero, for curves that go below it.
    title, panel_height
        Title of the figure; height of each panel, in pixels.

    >>> figure = plot_panels([("one", ([0, 1], [1.0, 2.0])), ("two", ([0, 1], [3.0, 2.0]))])
    >>> [heading.text for heading in figure.layout.annotations]
    ['one', 'two']
    """
    n_rows = max(1, -(-len(panels) // COLUMNS))
    figure = make_subplots(
        rows=n_rows,
        cols=COLUMNS,
        subplot_titles=[heading for heading, _ in panels],
        vertical_spacing=GAP / (panel_height * n_rows),
        horizontal_spacing=0.07,
    )
    figure.update_layout(new_figure(height=panel_height * n_rows + (40 if title else 0), title=title).layout)
    traces: list[tuple[int, go.Scatter]] = []
    shapes: list[dict[str, Any]] = []
    for number, (_, given) in enumerate(panels):
        curve = thin(given, MOST_POINTS)
        x = on_axis(curve.times)
        around, heights = band_outline(curve)
        shade = {"fill": "toself", "fillcolor": faint(BLUE), "line": {"width": 0}, "hoverinfo": "skip"}
        band = go.Scatter(x=around, y=heights, mode="lines", **shade)
        line = {"color": BLUE, "width": 2}
        hover = "%{y:.3~g}<extra></extra>"
        drawn = [band, go.Scatter(x=x, y=rounded(curve.value), mode="lines", line=line, hovertemplate=hover)]
        for burst in sorted(bursts[number], key=lambda burst: burst[2]) if number < len(bursts) else ():
            shapes.append(_shading(burst, number))
            drawn.append(_bar(burst))
        traces += [(number, trace) for trace in drawn]
    # Add all at once: adding them one by one would validate all existing ones each time
    figure.add_traces(
        [trace for _, trace in traces],
        rows=[number // COLUMNS + 1 for number, _ in traces],
        cols=[number % COLUMNS + 1 for number, _ in traces],
    )
    figure.update_layout(shapes=shapes)
    for number in range(len(panels) if zero_line else 0):
        line = {"color": MUTED, "width": 1, "dash": "dot"}
        figure.add_hline(y=0, line=line, row=number // COLUMNS + 1, col=number % COLUMNS + 1)
    for _, given in panels[-1:]:  # the axes of all panels are of the same kind
        time_axis(figure, as_curve(given).times)
    figure.update_annotations(font_size=13)
    figure.update_yaxes(rangemode="normal" if zero_line else "tozero", nticks=4)
    figure.update_xaxes(nticks=3, tickangle=0)  # three labels also fit side by side in print
    figure.update_layout(showlegend=False, hovermode="x", margin_t=70 if title else 36, meta="panels")
    return figure


def _shading(burst: Burst, number: int) -> dict[str, Any]:
    """Return the shape that shades a burst behind the curve of a panel, darker for higher levels."""
    start, end, level, _ = burst
    x0, x1 = on_axis(np.array([start, end]))
    axis = "" if number == 0 else str(number + 1)
    return {
        "type": "rect",
        "x0": x0,
        "x1": x1,
        "xref": f"x{axis}",
        "y0": 0,
        "y1": 1,
        "yref": f"y{axis} domain",
        "fillcolor": faint(_depth(level), 0.2),
        "line": {"width": 0},
        "layer": "below",
    }


def _bar(burst: Burst) -> go.Scatter:
    """Return the bar along the bottom of a panel that describes a burst."""
    start, end, level, text = burst
    return go.Scatter(
        x=on_axis(np.array([start, end])),
        y=[0, 0],
        mode="lines",
        line={"color": _depth(level), "width": 6},
        text=[text, text],
        hovertemplate="%{text}<extra></extra>",
    )


def _depth(level: int) -> str:
    return DEPTHS[min(level, len(DEPTHS)) - 1]
