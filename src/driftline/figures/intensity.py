"""Intensities of topics over time with their bands, on a scale with equal steps between levels."""

from __future__ import annotations

import plotly.graph_objects as go

from driftline.figures.band import add_curves
from driftline.figures.shading import Spans, shade_periods
from driftline.figures.style import new_figure
from driftline.figures.thinning import Curves


def plot_intensities(
    curves: Curves, *, bursts: Spans = (), unit: str = "documents per day", title: str | None = None, height: int = 420
) -> go.Figure:
    """Draw the intensity of each topic with its band.

    Parameters
    ----------
    curves
        Name → a `Curve`, ``(times, values)`` or ``(times, values, lower, upper)``: `IntensityTracker`'s
        ``intensity_[:, k]``, ``intensity_lower_[:, k]`` and ``intensity_upper_[:, k]`` at the sorted times.
    bursts
        (start, end, name) of intervals to shade behind the curves.
    unit
        Unit of the values, shown at the axis and when hovering.
    title, height
        Title and height of the figure.

    >>> figure = plot_intensities({"war": ([0.0, 1.0, 2.0], [0.1, 2.0, 0.4])}, bursts=[(0.5, 1.5, "war")])
    >>> figure.layout.yaxis.type, [trace.name for trace in figure.data if trace.name]
    ('log', ['war'])
    """
    figure = new_figure(height=height, title=title)
    if bursts:
        shade_periods(figure, bursts)
    add_curves(figure, curves, unit)
    figure.update_yaxes(title_text=unit, type="log", rangemode="normal")
    figure.update_layout(showlegend=len(curves) > 1)
    return figure
