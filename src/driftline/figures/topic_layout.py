"""Similarity of topics: a map of topics, and the tree of their mergers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go

from driftline.core.arrays import Floats, Ints, Matrix
from driftline.core.display import figure_text
from driftline.figures.style import BLUE, MUTED, faint, new_figure

_LARGEST = 64.0
"""Diameter of the largest circle of a map, in pixels."""
_MOST_NAMES = 8
"""Largest number of names on a map: those of the largest topics; the others are shown on hover."""
_WIDTH = 340.0
"""Width of a map in pixels at which names do not overlap: that of a phone; half a page is wider."""
_LONGEST_NAME = 26
"""Number of letters after which a name on a map is cut; the whole name is shown on hover."""
_MARGINS = 24.0
"""Height of the margins of a map without a title, in pixels."""
_LETTER, _LINE = 6.6, 15.0
"""Width of a letter and height of a line of a name, in pixels."""
_ROW = 22
"""Height of a topic in the tree, in pixels."""


def plot_topic_map(
    places: Matrix, shares: Sequence[float], names: Sequence[str], *, title: str | None = None, height: int = 460
) -> go.Figure:
    """Draw topics as circles: near each other if their words are similar, with areas proportional to their shares.

    `places` are coordinates, topics × 2 (`driftline.topics.topic_places`). The names of the eight largest topics are
    shown at their circles, except those that would overlap the name of a larger one; all others are shown on hover.

    >>> figure = plot_topic_map([[0.0, 0.0], [1.0, 0.5]], [0.3, 0.1], ["war, iraq", "tax, budget"])
    >>> list(figure.data[0].text)
    ['war, iraq', 'tax, budget']
    """
    xy = np.asarray(places, dtype=np.float64).reshape(-1, 2)
    sizes = np.asarray(shares, dtype=np.float64)
    shown = [figure_text(name, longest=_LONGEST_NAME) for name in names]
    ranges = _with_margin(xy[:, 0], 0.22), _with_margin(xy[:, 1], 0.16)  # space for circles and names at the edges
    named = _named_apart(xy, sizes, shown, ranges, height)
    figure = new_figure(height=height, title=title)
    figure.add_scatter(
        x=xy[:, 0].tolist(),
        y=xy[:, 1].tolist(),
        mode="markers+text",
        text=[name if topic in named else "" for topic, name in enumerate(shown)],
        hovertext=[figure_text(name, longest=120) for name in names],
        textposition=[named.get(topic, "top center") for topic in range(len(shown))],
        textfont={"size": 12},
        customdata=(100 * sizes).round(2).tolist(),
        marker={
            "size": sizes.tolist(),
            "sizemode": "area",
            "sizeref": 2 * max(float(sizes.max(initial=0.0)), 1e-9) / _LARGEST**2,  # Plotly's scale of areas
            "sizemin": 4,
            "color": faint(BLUE, 0.35),
            "line": {"color": BLUE, "width": 1.5},
        },
        hovertemplate="%{hovertext}: %{customdata:.3~g} %<extra></extra>",
    )
    hidden: dict[str, object] = {"showticklabels": False, "ticks": "", "rangemode": "normal", "showgrid": False}
    figure.update_xaxes(range=ranges[0], **hidden)
    figure.update_yaxes(range=ranges[1], **hidden)
    figure.update_layout(showlegend=False, hovermode="closest")
    return figure


def plot_topic_tree(
    merges: Matrix, lost: Sequence[float], names: Sequence[str], *, title: str | None = None
) -> go.Figure:
    """Draw the mergers of topics (`driftline.topics.TopicTree`); those that lose least information are on the left.

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
    figure.update_xaxes(title_text="bits lost per word", rangemode="tozero", type="linear")
    figure.update_yaxes(
        tickvals=list(range(n_topics)),
        ticktext=[figure_text(names[topic]) for topic in order],
        range=[n_topics - 0.5, -0.5],
        showgrid=False,
    )
    figure.update_layout(showlegend=False, hovermode=False)
    return figure


def _leaves(merges: Ints, n_topics: int) -> list[int]:
    """Return the topics in an order in which no two branches of the tree cross."""
    below: dict[int, list[int]] = {topic: [topic] for topic in range(n_topics)}
    for number, (a, b) in enumerate(merges.tolist()):
        below[n_topics + number] = below.pop(a) + below.pop(b)
    return [topic for topics in below.values() for topic in topics]


class _Name(NamedTuple):
    """The place of a name relative to its circle, in Plotly's terms, and its box: left, right, bottom, top."""

    position: str
    box: tuple[float, float, float, float]


def _named_apart(
    xy: Floats, sizes: Floats, names: Sequence[str], ranges: tuple[list[float], list[float]], height: float
) -> dict[int, str]:
    """Return the positions of names by topic, largest first; names that overlap that of a larger topic are left out."""
    (left, right), (low, high) = ranges
    largest = max(float(sizes.max(initial=0.0)), 1e-9)
    found: dict[int, _Name] = {}
    for topic in np.argsort(-sizes, kind="stable")[:_MOST_NAMES].tolist():
        x = _WIDTH * (xy[topic, 0] - left) / (right - left)
        top = height - _MARGINS
        y = top * (xy[topic, 1] - low) / (high - low)
        away = _LARGEST / 2 * math.sqrt(sizes[topic] / largest) / 0.8 + 1  # Plotly's distance of a text from its marker
        name = _placed(x, y, away, _LETTER * len(names[topic]), top)
        if not any(_overlap(name.box, other.box) for other in found.values()):
            found[topic] = name
    return {topic: name.position for topic, name in found.items()}


def _placed(x: float, y: float, away: float, width: float, top: float) -> _Name:
    """Return the place of a name above its circle, or below it or to one side of it if it would not fit there."""
    side, bottom = ("top", y + away) if y + away + _LINE <= top else ("bottom", y - away - _LINE)
    if x - width / 2 < 0:
        return _Name(f"{side} right", (x + away, x + away + width, bottom, bottom + _LINE))
    if x + width / 2 > _WIDTH:
        return _Name(f"{side} left", (x - away - width, x - away, bottom, bottom + _LINE))
    return _Name(f"{side} center", (x - width / 2, x + width / 2, bottom, bottom + _LINE))


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return not (a[1] < b[0] or b[1] < a[0] or a[3] < b[2] or b[3] < a[2])


def _with_margin(values: Floats, share: float) -> list[float]:
    low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
    room = share * ((high - low) or 1.0)
    return [low - room, high + room]
