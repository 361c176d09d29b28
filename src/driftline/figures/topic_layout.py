"""Which topics are alike: a map of topics, and the tree of their mergers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from driftline.core.arrays import Floats, Matrix
from driftline.core.display import figure_text
from driftline.figures.style import BLUE, MUTED, faint, new_figure

_LARGEST = 64.0
"""Diameter of the largest circle of a map, in pixels."""
_MOST_NAMES = 8
"""Largest number of names on a map: those of the largest topics; the others are shown on hover."""
_WIDTH = 400.0
"""Width of a map in pixels at which names do not overlap: half a page."""
_LETTER, _LINE = 6.6, 15.0
"""Width of a letter and height of a line of a name, in pixels."""
_ROW = 22
"""Height of a topic in the tree, in pixels."""


def plot_topic_map(
    places: Matrix, shares: Sequence[float], names: Sequence[str], *, title: str | None = None, height: int = 460
) -> go.Figure:
    """Draw topics as circles: near each other if their words are alike, with areas proportional to their shares.

    `places` are coordinates, topics × 2 (`driftline.topics.topic_places`). The names of the eight largest topics are
    shown at their circles, except those that would overlap the name of a larger one; all others are shown on hover.

    >>> figure = plot_topic_map([[0.0, 0.0], [1.0, 0.5]], [0.3, 0.1], ["war, iraq", "tax, budget"])
    >>> list(figure.data[0].text)
    ['war, iraq', 'tax, budget']
    """
    xy = np.asarray(places, dtype=np.float64).reshape(-1, 2)
    sizes = np.asarray(shares, dtype=np.float64)
    shown = [figure_text(name) for name in names]
    ranges = _with_margin(xy[:, 0], 0.22), _with_margin(xy[:, 1], 0.16)  # room for circles and names at the edges
    named = _named_apart(xy, sizes, shown, ranges, height)
    figure = new_figure(height=height, title=title)
    figure.add_scatter(
        x=xy[:, 0].tolist(),
        y=xy[:, 1].tolist(),
        mode="markers+text",
        text=[name if topic in named else "" for topic, name in enumerate(shown)],
        hovertext=shown,
        textposition="top center",
        textfont={"size": 12},
        customdata=(100 * sizes).round(2).tolist(),
        marker={
            "size": sizes.tolist(),
            "sizemode": "area",
            "sizeref": max(float(sizes.max(initial=0.0)), 1e-9) / _LARGEST**2,
            "sizemin": 4,
            "color": faint(BLUE, 0.35),
            "line": {"color": BLUE, "width": 1.5},
        },
        hovertemplate="%{hovertext}: %{customdata:.3~g} %<extra></extra>",
    )
    hidden: dict[str, Any] = {"showticklabels": False, "ticks": "", "rangemode": "normal", "showgrid": False}
    figure.update_xaxes(range=ranges[0], **hidden)
    figure.update_yaxes(range=ranges[1], **hidden)
    figure.update_layout(showlegend=False, hovermode="closest")
    return figure


def plot_topic_tree(
    merges: Matrix, lost: Sequence[float], names: Sequence[str], *, title: str | None = None
) -> go.Figure:
    """Draw the mergers of topics (`driftline.topics.TopicTree`): those that lose least information are at the left.

    >>> figure = plot_topic_tree([[0, 2], [1, 3]], [0.1, 0.5], ["war", "tax", "iraq"])
    >>> list(figure.layout.yaxis.ticktext)
    ['tax', 'war', 'iraq']
    """
    pairs = np.asarray(merges, dtype=np.int64).reshape(-1, 2)
    n_topics = len(names)
    order = _leaves(pairs, n_topics)
    height = dict.fromkeys(range(n_topics), 0.0)
    place = {topic: float(row) for row, topic in enumerate(order)}
    x: list[float | None] = []
    y: list[float | None] = []
    for number, ((a, b), level) in enumerate(zip(pairs.tolist(), lost)):
        x += [height[a], level, level, height[b], None]
        y += [place[a], place[a], place[b], place[b], None]
        height[n_topics + number], place[n_topics + number] = float(level), (place[a] + place[b]) / 2
    figure = new_figure(height=_ROW * n_topics + 70 + (40 if title else 0), title=title)
    figure.add_scatter(x=x, y=y, mode="lines", line={"color": MUTED, "width": 1.5}, hoverinfo="skip")
    figure.update_xaxes(title_text="information lost by merging, in bits per word", rangemode="tozero", type="linear")
    figure.update_yaxes(
        tickvals=list(range(n_topics)),
        ticktext=[figure_text(names[topic]) for topic in order],
        range=[n_topics - 0.5, -0.5],
        showgrid=False,
    )
    figure.update_layout(showlegend=False, hovermode=False)
    return figure


def _leaves(merges: Any, n_topics: int) -> list[int]:
    """Return the topics in an order in which no two branches of the tree cross."""
    below: dict[int, list[int]] = {topic: [topic] for topic in range(n_topics)}
    for number, (a, b) in enumerate(merges.tolist()):
        below[n_topics + number] = below.pop(a) + below.pop(b)
    return [topic for topics in below.values() for topic in topics]


def _named_apart(
    xy: Floats, sizes: Floats, names: Sequence[str], ranges: tuple[list[float], list[float]], height: float
) -> set[int]:
    """Return the largest topics whose names, above their circles, do not overlap that of a larger one."""
    largest = max(float(sizes.max(initial=0.0)), 1e-9)
    boxes: dict[int, tuple[float, float, float, float]] = {}
    for topic in np.argsort(-sizes, kind="stable")[:_MOST_NAMES].tolist():
        (left, right), (low, high) = ranges
        x = _WIDTH * (xy[topic, 0] - left) / (right - left)
        y = height * (xy[topic, 1] - low) / (high - low) + _LARGEST / 2 * np.sqrt(sizes[topic] / largest)
        half = _LETTER * len(names[topic]) / 2
        box = (x - half, x + half, y, y + _LINE)
        if all(box[1] < b[0] or b[1] < box[0] or box[3] < b[2] or b[3] < box[2] for b in boxes.values()):
            boxes[topic] = box
    return set(boxes)


def _with_margin(values: Any, share: float) -> list[float]:
    low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    room = share * ((high - low) or 1.0)
    return [low - room, high + room]
