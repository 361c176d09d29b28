"""Differences between groups, each with its interval: points around zero, or ratios around one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from driftline.core.display import figure_text
from driftline.figures.style import BLUE, INK, ORANGE, new_figure

FARTHEST_RATIO = 1000.0
"""Largest end of an interval of ratios that is drawn; beyond it or its inverse, a word is nearly absent on one side."""


class ShownInterval(NamedTuple):
    """A named difference and the ends of its interval; the upper end of a ratio may be None, which means infinity."""

    name: str
    low: float
    value: float | None
    high: float | None


def plot_differences(
    shown: Sequence[ShownInterval], axis: str, *, ratios: bool = False, title: str | None = None
) -> go.Figure:
    """Draw differences with their intervals, the first at the top; ratios on a logarithmic axis.

    A logarithmic axis has neither zero nor infinity: an end of a ratio that is missing, or farther than
    `FARTHEST_RATIO`, is drawn over a factor of ten.

    >>> plot_differences([ShownInterval("war", 2.0, 4.0, 8.0)], "ratio", ratios=True).data[0].x
    (4.0,)
    """
    none = 1.0 if ratios else 0.0
    points = [_drawable(each) if ratios else (each.low, each.value or 0.0, each.high or 0.0) for each in shown]
    figure = new_figure(height=110 + 22 * max(len(shown), 2), title=title)
    figure.add_scatter(
        x=[value for _, value, _ in points],
        y=list(range(len(points))),
        mode="markers",
        marker={"size": 8, "color": [ORANGE if value >= none else BLUE for _, value, _ in points]},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [high - value for _, value, high in points],
            "arrayminus": [value - low for low, value, _ in points],
            "color": INK,
            "thickness": 1,
        },
        text=[figure_text(each.name) for each in shown],
        hovertemplate="<b>%{text}</b><br>%{x:.2f}<extra></extra>",
        showlegend=False,
    )
    figure.add_vline(x=none, line={"color": INK, "width": 1, "dash": "dot"})
    figure.update_xaxes(title=axis, type="log" if ratios else "linear")
    if ratios:
        figure.update_xaxes(tickformat=",~g", dtick=1)
    figure.update_yaxes(
        tickvals=list(range(len(shown))),
        ticktext=[figure_text(each.name, longest=40) for each in shown],
        range=[len(shown) - 0.5, -0.5],
    )
    return figure


def _drawable(each: ShownInterval) -> tuple[float, float, float]:
    low = each.low if each.low > 1 / FARTHEST_RATIO else None
    high = each.high if each.high is not None and each.high < FARTHEST_RATIO else None
    known = [number for number in (low, each.value, high) if number] or [1.0]
    low, high = low or min(known) / 10, high or 10 * max(known)
    return low, high if each.value is None else min(max(each.value, low), high), high
