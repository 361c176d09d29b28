"""The volume of documents, in total and by label."""

from __future__ import annotations

import plotly.graph_objects as go

from driftline.core.display import figure_text
from driftline.figures.band import add_band, add_line, time_axis
from driftline.figures.shading import Spans, mark_events
from driftline.figures.style import BLUE, colour, faint, new_figure
from driftline.figures.thinning import CurveLike, Curves, thin
from driftline.smoothing.curve import Curve


def plot_volume(
    total: CurveLike,
    *,
    labels: Curves | None = None,
    stacked: bool = False,
    events: Spans = (),
    unit: str = "documents per day",
    title: str | None = None,
    height: int = 320,
) -> go.Figure:
    """Draw the number of documents over time with its band, and the share of each label.

    Parameters
    ----------
    total
        A `Curve`, or plain ``(times, values)`` or ``(times, values, lower, upper)``.
    labels
        Label → the same for the documents of that label: lines, or stacked areas if `stacked`.
    stacked
        Whether labels are stacked; the total then has no separate line.
    events
        (start, end, name) of known events, marked along the bottom.
    unit, title, height
        Unit of the values; title and height of the figure.
    """
    figure = new_figure(height=height, title=title)
    curve = thin(total)
    if labels and stacked:
        for number, (label, given) in enumerate(labels.items()):
            area = {"stackgroup": "labels", "fillcolor": faint(colour(number), 0.75)}
            add_line(figure, _line_only(given), colour=colour(number), name=figure_text(label), unit=unit, width=0.5)
            figure.data[-1].update(area)
    else:
        add_band(figure, curve, colour=BLUE, group="all")
        add_line(figure, curve, colour=BLUE, name="all", unit=unit)
        for number, (label, given) in enumerate((labels or {}).items(), start=1):
            add_line(figure, _line_only(given), colour=colour(number), name=figure_text(label), unit=unit, width=1.3)
    time_axis(figure, curve.times)
    mark_events(figure, events)
    figure.update_yaxes(title_text=unit)
    figure.update_layout(showlegend=bool(labels))
    return figure


def _line_only(given: CurveLike) -> Curve:
    curve = thin(given)
    return curve._replace(lower=curve.value, upper=curve.value)
