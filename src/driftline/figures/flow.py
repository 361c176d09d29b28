"""The semantic flow of one text: the shares of its topics from the first word to the last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from driftline.figures.escaping import as_text
from driftline.figures.style import INK, MUTED, colour, faint, new_figure

DASHES = ("", "/", "x", ".")
"""Beyond eight topics colours come round again, and a pattern tells them apart."""
COLOURS = 8


def plot_flow(
    shares: Any,
    positions: Any,
    names: Sequence[str],
    *,
    turns: Sequence[float] = (),
    chapters: Sequence[tuple[float, str]] = (),
    title: str | None = None,
    height: int = 420,
) -> go.Figure:
    """Draw topic shares along a text as stacked areas, with the places where it turns and its chapters.

    Parameters
    ----------
    shares
        Places × topics, each row summing to one.
    positions
        Where the places lie, in words from the beginning.
    names
        What each topic is called: its telling words.
    turns
        Where segments begin, marked by dotted lines.
    chapters
        (where it begins, its title), marked by full lines with the title above.
    title, height
        Of the figure.
    """
    shares, positions = np.asarray(shares, dtype=float), np.asarray(positions)
    figure = new_figure(height=height, title=title)
    for number, name in enumerate(names):
        figure.add_scatter(
            x=positions,
            y=np.round(shares[:, number], 4),
            name=as_text(name, longest=60),
            mode="lines",
            stackgroup="flow",
            line={"width": 0.4, "color": colour(number)},
            fillcolor=faint(colour(number), 0.78),
            fillpattern={"shape": DASHES[number // COLOURS % len(DASHES)], "solidity": 0.15},
            hoveron="points+fills",
            hovertemplate="%{y:.0%}",
        )
    for turn in turns:
        dots = {"color": INK, "width": 1.2, "dash": "dot"}
        figure.add_shape(type="line", xref="x", yref="paper", x0=turn, x1=turn, y0=0, y1=1, line=dots)
    for where, name in chapters:
        line = {"color": INK, "width": 1.6}
        figure.add_shape(type="line", xref="x", yref="paper", x0=where, x1=where, y0=0, y1=1.04, line=line)
        figure.add_annotation(
            x=where,
            y=1.04,
            yref="paper",
            yanchor="bottom",
            xanchor="left",
            text=as_text(name, longest=18),
            showarrow=False,
            font={"size": 11, "color": MUTED},
        )
    last = float(positions[-1]) if len(positions) else 1.0
    figure.update_xaxes(title_text="words from the beginning", range=[0, max(last, 1.0)], tickformat=",d")
    figure.update_yaxes(range=[0, 1], tickformat=".0%", title_text="share of the local context", fixedrange=True)
    figure.update_layout(margin_t=40, legend={"y": -0.22, "yanchor": "top", "traceorder": "normal"}, hovermode="x")
    return figure
