"""Words over time: each with its curve and band, and the truth if it is known."""

from __future__ import annotations

import plotly.graph_objects as go

from driftline.core.display import figure_text
from driftline.figures.band import add_curves, add_line
from driftline.figures.style import TRUTH, colour, new_figure
from driftline.figures.thinning import Curves, thin


def plot_word_curves(
    curves: Curves,
    *,
    truth: Curves | None = None,
    unit: str = "of 1,000 documents",
    title: str | None = None,
    height: int = 340,
) -> go.Figure:
    """Draw curves with their bands; a known truth is drawn as a dashed line.

    Parameters
    ----------
    curves
        Name → a `Curve`, or plain ``(times, values)`` or ``(times, values, lower, upper)``. Times may be dates or
        numbers.
    truth
        Name → the true curve, for some of the names.
    unit
        Unit of the values, shown at the axis and when hovering.
    title, height
        Title and height of the figure.

    >>> import numpy as np
    >>> days = np.arange("2003-01-01", "2004-01-01", dtype="datetime64[D]")
    >>> rate = 20 * np.exp(-(((days - days[80]).astype(float) / 20) ** 2))
    >>> figure = plot_word_curves({"war": (days, rate, 0.9 * rate, 1.1 * rate)})
    >>> [trace.name for trace in figure.data if trace.name]
    ['war']
    """
    figure = new_figure(height=height, title=title)
    add_curves(figure, curves, unit)
    for name, given in (truth or {}).items():
        shade = TRUTH if len(curves) == 1 else colour(list(curves).index(name) if name in curves else len(curves))
        line = {"dash": "dash", "width": 1.5}
        add_line(figure, thin(given), colour=shade, name=f"{figure_text(name)}, truth", unit=unit, **line)
    figure.update_yaxes(title_text=unit)
    figure.update_layout(showlegend=len(curves) + len(truth or {}) > 1)
    return figure
