"""A timeline of bursts by word, interval and level, below the volume of documents if it is given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from driftline.core.display import figure_text
from driftline.core.times import Moment
from driftline.figures.band import rounded, time_axis
from driftline.figures.style import MUTED, faint, new_figure
from driftline.figures.thinning import CurveLike, on_axis, thin

DEPTHS = ("#f6c08a", "#ef8b43", "#cf5a13", "#a92f0b", "#6d1d05")
"""Colours from the weakest burst to the strongest."""


def plot_bursts(
    bursts: Sequence[tuple[str, Moment, Moment, int, float]],
    *,
    volume: CurveLike | None = None,
    unit: str = "documents per day",
    title: str | None = None,
    row_height: int = 22,
) -> go.Figure:
    """Draw every burst as a bar; a stronger burst within a weaker one is drawn on top of it, in a darker colour.

    Parameters
    ----------
    bursts
        (word, start, end, level, weight) of each burst. Words are drawn from top to bottom, the first to burst first.
    volume
        A curve drawn above the timeline: a `Curve`, or plain ``(times, values)`` or ``(times, values, lower, upper)``.
    unit
        Unit of the volume.
    title, row_height
        Title of the figure; height of the row of a word, in pixels.

    >>> figure = plot_bursts([("war", 10.0, 30.0, 1, 50.0), ("war", 15.0, 20.0, 2, 9.0), ("sars", 30.0, 60.0, 1, 4.0)])
    >>> list(figure.layout.yaxis.ticktext)
    ['war', 'sars']
    """
    words: dict[str, list[tuple[Moment, Moment, int, float]]] = {}
    for word, start, end, level, weight in bursts:
        words.setdefault(word, []).append((start, end, level, weight))
    order = sorted(words, key=lambda word: min(start for start, _, _, _ in words[word]))
    timeline_height = row_height * max(len(order), 1) + 40
    volume_height = 118 if volume is not None else 0
    figure = _panels(timeline_height, volume_height, title)
    row = 2 if volume is not None else 1
    if volume is not None:
        _add_volume(figure, volume, unit)
    for depth, colour in enumerate(DEPTHS, start=1):
        _add_bars(figure, words, order, depth, colour, row)
    figure.update_yaxes(
        row=row,
        col=1,
        tickvals=list(range(len(order))),
        ticktext=[figure_text(word) for word in order],
        range=[len(order) - 0.4, -0.6],
        showgrid=False,
        automargin=True,
    )
    if bursts:
        time_axis(figure, np.array([bursts[0][1]]))
    figure.update_layout(barmode="overlay", hovermode="closest", showlegend=False)
    return figure


def _panels(timeline_height: int, volume_height: int, title: str | None) -> go.Figure:
    height = timeline_height + volume_height
    heights = [volume_height, timeline_height] if volume_height else [timeline_height]
    base = new_figure(height=height, title=title)
    return make_subplots(
        rows=len(heights), cols=1, shared_xaxes=True, row_heights=heights, vertical_spacing=0.03, figure=base
    )


def _add_volume(figure: go.Figure, volume: CurveLike, unit: str) -> None:
    curve = thin(volume)
    figure.add_scatter(
        x=on_axis(curve.times),
        y=rounded(curve.value),
        mode="lines",
        line={"color": MUTED, "width": 1.2},
        fill="tozeroy",
        fillcolor=faint(MUTED, 0.15),
        hovertemplate="%{y:.3~g} " + unit + "<extra></extra>",
        row=1,
        col=1,
    )
    figure.update_yaxes(nticks=3, row=1, col=1)
    # The panel is too low for a title along its axis.
    font = {"size": 12, "color": MUTED}
    place = {"xref": "paper", "x": 0, "xanchor": "left", "yref": "paper", "y": 1, "yanchor": "bottom"}
    figure.add_annotation(text=unit, showarrow=False, font=font, **place)
    figure.update_layout(margin_t=figure.layout.template.layout.margin.t + (48 if figure.layout.title.text else 8))


def _add_bars(
    figure: go.Figure,
    words: dict[str, list[tuple[Moment, Moment, int, float]]],
    order: list[str],
    depth: int,
    colour: str,
    row: int,
) -> None:
    """Draw the bursts of one level (the darkest colour includes all higher levels), as one trace."""
    x: list[object] = []
    y: list[int | None] = []
    texts: list[str | None] = []
    for place, word in enumerate(order):
        for start, end, level, weight in words[word]:
            if min(level, len(DEPTHS)) != depth:
                continue
            x += [*on_axis(np.array([start, end])), None]
            y += [place, place, None]
            texts += [f"<b>{figure_text(word)}</b>, level {level}, weight {weight:.3g}"] * 2 + [None]
    if not x:
        return
    figure.add_scatter(
        x=x,
        y=y,
        text=texts,
        mode="lines",
        line={"color": colour, "width": 15 - 2 * depth},
        hovertemplate="%{text}<br>%{x}<extra></extra>",
        row=row,
        col=1,
    )
