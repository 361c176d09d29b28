"""Topics over time: the share of each with its band, and their lineage."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from driftline.core.display import figure_text
from driftline.figures.band import add_curves
from driftline.figures.panels import plot_panels
from driftline.figures.style import colour, new_figure
from driftline.figures.thinning import Curves, in_per_cent, thin
from driftline.inference.lineage import Lineage

_COLOURS = {"kept": 2, "born": 1, "died": 3, "split": 0, "merged": 4}


def plot_topics(
    curves: Curves, *, unit: str = "% of the documents", title: str | None = None, height: int = 420
) -> go.Figure:
    """Draw the shares of topics over time with their bands; several topics are drawn in a panel each.

    Parameters
    ----------
    curves
        Name → a `Curve` of shares between zero and one, as returned by `TopicsOverTime.curve`; drawn in per cent.
    unit
        Unit of the values, shown at the axis and when hovering.
    title, height
        Title and height of the figure; the height does not apply to panels.

    >>> import numpy as np
    >>> days = np.arange("2003-01-01", "2003-03-01", dtype="datetime64[D]")
    >>> figure = plot_topics({"war, iraq": (days, np.linspace(0.1, 0.3, len(days)))})
    >>> [trace.name for trace in figure.data if trace.name]
    ['war, iraq']
    """
    if len(curves) > 1:
        panels = [(figure_text(name), in_per_cent(thin(given))) for name, given in curves.items()]
        return plot_panels(panels, title=title)
    figure = new_figure(height=height, title=title)
    add_curves(figure, curves, unit, per_cent=True)
    figure.update_yaxes(title_text=unit, rangemode="tozero")
    figure.update_layout(showlegend=False)
    return figure


def plot_lineage(lineages: Sequence[Lineage], *, title: str | None = None, height: int = 420) -> go.Figure:
    """Draw the lineage of topics over several models: a line per id, with marks for births, deaths, splits and mergers.

    `lineages` are the results of `topic_lineage` for each model and its predecessor, in order.

    >>> from driftline.topics import Lineage, LineageEvent
    >>> import numpy as np
    >>> events = (LineageEvent("kept", (0,), (0,), 0.9), LineageEvent("born", (), (2,), 0.1))
    >>> figure = plot_lineage([Lineage(np.array([0, 2]), events, np.eye(2), 3)])
    >>> sorted(trace.name for trace in figure.data if trace.showlegend is not False)
    ['born', 'kept']
    """
    figure = new_figure(height=height, title=title)
    lines: dict[str, list[tuple[float | None, int | None]]] = {}
    marks: dict[str, list[tuple[float, int]]] = {}
    for step, lineage in enumerate(lineages):
        for event in lineage.events:
            if event.kind == "born":
                marks.setdefault("born", []).extend((step + 1, topic) for topic in event.new)
            elif event.kind == "died":
                marks.setdefault("died", []).extend((step, topic) for topic in event.old)
            else:
                for old in event.old:
                    for new in event.new:
                        lines.setdefault(event.kind, []).extend([(step, old), (step + 1, new), (None, None)])
    for kind, points in lines.items():
        x, y = zip(*points)
        line = {"color": colour(_COLOURS[kind]), "dash": "solid" if kind == "kept" else "dot"}
        figure.add_scatter(x=list(x), y=list(y), mode="lines", name=kind, line=line)
    for kind, places in marks.items():
        x, y = zip(*places)
        shape = {"color": colour(_COLOURS[kind]), "symbol": "circle" if kind == "born" else "x", "size": 9}
        figure.add_scatter(x=list(x), y=list(y), mode="markers", name=kind, marker=shape)
    figure.update_xaxes(title_text="model", dtick=1, type="linear")
    figure.update_yaxes(title_text="topic", dtick=1)
    figure.update_layout(showlegend=True)
    return figure
