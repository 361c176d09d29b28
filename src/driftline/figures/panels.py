"""Small multiples: one panel per curve, for curves whose bands would hide each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import plotly.graph_objects as go

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
BETWEEN = 0.07
"""Distance between panels side by side, as a share of the width."""
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
    base = new_figure(height=panel_height * n_rows + (40 if title else 0), title=title).layout.to_plotly_json()
    traces: list[dict[str, object]] = []
    shapes: list[dict[str, object]] = []
    headings: list[dict[str, object]] = []
    axes: dict[str, dict[str, object]] = {}
    kind = _kind(panels)
    for number, (heading, given) in enumerate(panels):
        across, up = _domains(number, n_rows, GAP / (panel_height * n_rows))
        axis = "" if number == 0 else str(number + 1)
        axes[f"xaxis{axis}"] = {"anchor": f"y{axis}", "domain": across, "nticks": 3, "tickangle": 0, **kind}
        rangemode = "normal" if zero_line else "tozero"
        axes[f"yaxis{axis}"] = {"anchor": f"x{axis}", "domain": up, "nticks": 4, "rangemode": rangemode}
        headings.append(_heading(heading, across, up))
        drawn = _curve(given)
        for burst in sorted(bursts[number], key=lambda burst: burst[2]) if number < len(bursts) else ():
            shapes.append(_shading(burst, axis))
            drawn.append(_bar(burst))
        traces += [{"type": "scatter", "xaxis": f"x{axis}", "yaxis": f"y{axis}", **trace} for trace in drawn]
        if zero_line:
            shapes.append(_zero(axis))
    margin = {**base.get("margin", {}), "t": 70 if title else 36}
    common = {"showlegend": False, "hovermode": "x", "margin": margin, "meta": "panels"}
    # Built at once: Plotly validates the whole figure at every update
    return go.Figure(data=traces, layout={**base, **common, **axes, "annotations": headings, "shapes": shapes})


def _kind(panels: Sequence[tuple[str, CurveLike]]) -> dict[str, str]:
    """Return the kind of all x axes, that of the last panel: the axes of all panels are of the same kind."""
    figure = go.Figure()
    for _, given in panels[-1:]:
        time_axis(figure, as_curve(given).times)
    kind: dict[str, str] = figure.layout.xaxis.to_plotly_json()
    return kind


def _domains(number: int, n_rows: int, gap: float) -> tuple[list[float], list[float]]:
    """Return the horizontal and the vertical extent of a panel, as shares of the figure; the first is at the top."""
    row, column = divmod(number, COLUMNS)
    width, height = (1 - BETWEEN * (COLUMNS - 1)) / COLUMNS, (1 - gap * (n_rows - 1)) / n_rows
    left, bottom = column * (width + BETWEEN), (n_rows - 1 - row) * (height + gap)
    return [left, left + width], [bottom, bottom + height]


def _heading(text: str, across: list[float], up: list[float]) -> dict[str, object]:
    place = {
        "x": sum(across) / 2,
        "xanchor": "center",
        "xref": "paper",
        "y": up[1],
        "yanchor": "bottom",
        "yref": "paper",
    }
    return {**place, "text": text, "showarrow": False, "font": {"size": 13}}


def _curve(given: CurveLike) -> list[dict[str, object]]:
    """Return the band and the line of a panel."""
    curve = thin(given, MOST_POINTS)
    around, heights = band_outline(curve)
    shade = {"fill": "toself", "fillcolor": faint(BLUE), "line": {"width": 0}, "hoverinfo": "skip"}
    line = {"line": {"color": BLUE, "width": 2}, "hovertemplate": "%{y:.3~g}<extra></extra>"}
    return [
        {"x": around, "y": heights, "mode": "lines", **shade},
        {"x": on_axis(curve.times), "y": rounded(curve.value), "mode": "lines", **line},
    ]


def _zero(axis: str) -> dict[str, object]:
    """Return the line that marks zero in a panel."""
    line = {"color": MUTED, "width": 1, "dash": "dot"}
    return {
        "type": "line",
        "xref": f"x{axis} domain",
        "x0": 0,
        "x1": 1,
        "yref": f"y{axis}",
        "y0": 0,
        "y1": 0,
        "line": line,
    }


def _shading(burst: Burst, axis: str) -> dict[str, object]:
    """Return the shape that shades a burst behind the curve of a panel, darker for higher levels."""
    start, end, level, _ = burst
    x0, x1 = on_axis(np.array([start, end]))
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


def _bar(burst: Burst) -> dict[str, object]:
    """Return the bar along the bottom of a panel that describes a burst."""
    start, end, level, text = burst
    return {
        "x": on_axis(np.array([start, end])),
        "y": [0, 0],
        "mode": "lines",
        "line": {"color": _depth(level), "width": 6},
        "text": [text, text],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _depth(level: int) -> str:
    return DEPTHS[min(level, len(DEPTHS)) - 1]
