"""The semantic flow of one text: the shares of its topics from beginning to end."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from driftline.core.arrays import Floats
from driftline.core.display import figure_text
from driftline.figures.style import INK, MUTED, colour, faint, new_figure

DASHES = ("", "/", "x", ".")
"""Fill patterns that distinguish topics once the eight colours repeat."""
COLOURS = 8
COLUMNS = 2
"""Number of panels per row."""


def plot_flow(
    shares: npt.ArrayLike,
    positions: npt.ArrayLike,
    names: Sequence[str],
    *,
    turns: Sequence[float] = (),
    chapters: Sequence[tuple[float, str]] = (),
    passages: Sequence[str] = (),
    title: str | None = None,
    height: int = 420,
) -> go.Figure:
    """Draw topic shares along a text as stacked areas, with segment boundaries and chapters.

    Parameters
    ----------
    shares
        Positions × topics, each row summing to one.
    positions
        The positions, in words from the beginning.
    names
        Name of each topic: its characteristic words.
    turns
        Starts of segments, marked by dotted lines.
    chapters
        (start, title), marked by solid lines with the title above.
    passages
        The text at every position, shown under the pointer instead of the shares.
    title, height
        Title and height of the figure.
    """
    shares, positions = np.asarray(shares, dtype=float), np.asarray(positions)
    figure = new_figure(height=height, title=title)
    for number, name in enumerate(names):
        hover = {"hoverinfo": "skip"} if len(passages) else {"hoveron": "points+fills", "hovertemplate": "%{y:.0%}"}
        figure.add_scatter(**_area(positions, shares[:, number], number, name), stackgroup="flow", **hover)
    if len(passages):
        leading = [figure_text(names[number], longest=60) for number in shares.argmax(axis=1)] if len(names) else []
        figure.add_scatter(
            x=positions,
            y=np.full(len(positions), 0.5),
            customdata=[[topic, _wrapped(passage)] for topic, passage in zip(leading, passages)],
            mode="lines",
            line={"width": 0},
            showlegend=False,
            hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}<extra></extra>",
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
            text=figure_text(name, longest=18),
            showarrow=False,
            font={"size": 11, "color": MUTED},
        )
    last = float(positions[-1]) if len(positions) else 1.0
    figure.update_xaxes(title_text="words from the beginning", range=[0, max(last, 1.0)], tickformat=",d")
    figure.update_yaxes(range=[0, 1], tickformat=".0%", title_text="share of the local context", fixedrange=True)
    figure.update_layout(margin_t=40, legend={"y": -0.22, "yanchor": "top", "traceorder": "normal"}, hovermode="x")
    return figure


def plot_flow_panels(
    panels: Sequence[tuple[str, npt.ArrayLike]],
    names: Sequence[str],
    *,
    title: str | None = None,
    panel_height: int = 200,
) -> go.Figure:
    """Draw several flows from beginning to end: a panel for each (heading, shares), two panels per row.

    Shares are positions × topics, evenly spaced over the text; a topic has the same colour in every panel.

    >>> figure = plot_flow_panels([("then", [[1, 0], [0, 1]]), ("now", [[0, 1], [1, 0]])], ["sea", "town"])
    >>> figure.layout.xaxis.title.text, figure.layout.xaxis2.title.text
    ('then', 'now')
    """
    n_rows = max(1, -(-len(panels) // COLUMNS))
    figure = make_subplots(rows=n_rows, cols=COLUMNS, shared_yaxes=True, horizontal_spacing=0.03, vertical_spacing=0.24)
    look = new_figure(height=panel_height * n_rows, title=title).layout
    figure.update_layout(
        look
    ).layout.template = look.template  # replace Plotly's default, which is long, instead of merging with it
    for panel, (heading, given) in enumerate(panels):
        place = {"row": panel // COLUMNS + 1, "col": panel % COLUMNS + 1}
        shares = np.asarray(given, dtype=float)
        places = (np.arange(len(shares)) + 0.5) / max(len(shares), 1)
        for number, name in enumerate(names):
            figure.add_scatter(
                **_area(places, shares[:, number], number, name),
                stackgroup=f"flow{panel}",
                hovertemplate="%{y:.0%} %{fullData.name}<extra></extra>",
                **place,
            )
        figure.update_xaxes(title_text=figure_text(heading), range=[0, 1], **place)
    # Ticks at the ends would overlap those of the neighbouring panels.
    figure.update_xaxes(tickvals=[0.25, 0.5, 0.75], tickformat=".0%")
    figure.update_yaxes(range=[0, 1], tickformat=".0%", fixedrange=True)
    figure.update_layout(hovermode="closest", showlegend=False)
    return figure


def _area(x: object, y: Floats, number: int, name: str) -> dict[str, object]:
    """Return the style of one topic's area."""
    return {
        "x": x,
        "y": np.round(y, 4),
        "name": figure_text(name, longest=60),
        "mode": "lines",
        "line": {"width": 0.4, "color": colour(number)},
        "fillcolor": faint(colour(number), 0.78),
        "fillpattern": {"shape": DASHES[number // COLOURS % len(DASHES)], "solidity": 0.15},
    }


def _wrapped(passage: str, width: int = 78) -> str:
    """Return a passage as lines: Plotly does not wrap text."""
    lines = textwrap.wrap(passage, width) or [""]
    return "<br>".join(figure_text(line, longest=width) for line in lines)
