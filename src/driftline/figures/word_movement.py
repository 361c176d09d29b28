"""How a classifier's words moved: the coefficient of each over time, above zero for a label and below against it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from driftline.figures.band import rounded, time_axis
from driftline.figures.escaping import as_text
from driftline.figures.style import BLUE, MUTED, faint, new_figure
from driftline.figures.thinning import on_axis, thin

COLUMNS = 3


def plot_word_movement(
    movements: Sequence[tuple[str, str, Any]], *, title: str | None = None, panel_height: int = 190
) -> go.Figure:
    """Draw one small panel per word.

    Parameters
    ----------
    movements
        (word, label, curve) of each word: its coefficient over time as a `Curve`, or plain ``(times, values)`` or
        ``(times, values, lower, upper)``.
    title, panel_height
        Of the figure; of each panel.

    >>> import numpy as np
    >>> figure = plot_word_movement([("viagra", "spam", (np.arange(5), [2.0, 1.5, 1, 0.5, 0]))])
    >>> figure.layout.annotations[0].text
    '<b>viagra</b> for spam'
    """
    n_rows = max(1, -(-len(movements) // COLUMNS))
    figure = make_subplots(
        rows=n_rows,
        cols=COLUMNS,
        subplot_titles=[f"<b>{as_text(word)}</b> for {as_text(label)}" for word, label, _ in movements],
        vertical_spacing=min(0.18, 0.3 / n_rows),
        horizontal_spacing=0.07,
    )
    figure.update_layout(new_figure(height=panel_height * n_rows + (40 if title else 0), title=title).layout)
    for number, (_, _, given) in enumerate(movements):
        curve = thin(given)
        place = {"row": number // COLUMNS + 1, "col": number % COLUMNS + 1}
        x = on_axis(curve.times)
        edge: dict[str, Any] = {"x": x, "mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", **place}
        figure.add_scatter(y=rounded(curve.lower), **edge)
        figure.add_scatter(y=rounded(curve.upper), fill="tonexty", fillcolor=faint(BLUE), **edge)
        figure.add_scatter(
            x=x,
            y=rounded(curve.value),
            mode="lines",
            line={"color": BLUE, "width": 2},
            hovertemplate="%{y:.2f}<extra></extra>",
            **place,
        )
        figure.add_hline(y=0, line={"color": MUTED, "width": 1, "dash": "dot"}, **place)
        time_axis(figure, curve.times)
    figure.update_annotations(font_size=13)
    figure.update_yaxes(rangemode="normal", nticks=4)
    figure.update_xaxes(nticks=4)
    figure.update_layout(showlegend=False, hovermode="x", margin_t=70 if title else 36)
    return figure
