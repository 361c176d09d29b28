"""A classifier with few labels: its accuracy per frame, and the words whose association changed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from driftline.core.display import figure_text
from driftline.figures.band import add_band, add_line, add_reference, rounded, time_axis
from driftline.figures.style import BLUE, MUTED, colour, faint, new_figure
from driftline.figures.thinning import CurveLike, as_curve, in_per_cent, thin


def plot_accuracy(
    accuracy: CurveLike,
    *,
    baseline: Sequence[float] | np.ndarray | None = None,
    title: str | None = None,
    height: int = 300,
) -> go.Figure:
    """Draw the share of correctly labelled documents in every frame, with its band, from 0 to 100 %.

    Parameters
    ----------
    accuracy
        Shares between 0 and 1: a `Curve`, or plain ``(times, values)`` or ``(times, values, lower, upper)``.
    baseline
        The accuracy of always predicting the most frequent label, at the same times.
    title, height
        Title and height of the figure.

    >>> months = np.array(["2024-01", "2024-02", "2024-03"], dtype="datetime64[M]").astype("datetime64[D]")
    >>> figure = plot_accuracy((months, [0.6, 0.8, 0.9], [0.5, 0.7, 0.85], [0.7, 0.88, 0.94]))
    >>> figure.data[-1].y
    (60.0, 80.0, 90.0)
    """
    figure = new_figure(height=height, title=title)
    whole = as_curve(accuracy)
    if baseline is not None:
        share = 100 * np.asarray(baseline, dtype=np.float64)
        add_reference(figure, (whole.times, share), name="always the most frequent label", unit=" %")
    curve = in_per_cent(thin(whole))
    add_band(figure, curve, colour=BLUE, group="labelled correctly")
    add_line(figure, curve, colour=BLUE, name="labelled correctly", unit="%")
    figure.data[-1].update(mode="lines+markers", marker={"size": 6})
    time_axis(figure, curve.times)
    figure.update_yaxes(title_text="% of the documents", range=[0, 101])
    figure.update_layout(showlegend=baseline is not None)
    return figure


def plot_weight_changes(
    changes: Sequence[tuple[str, object, float, float]], *, title: str | None = None, row_height: int = 26
) -> go.Figure:
    """Draw the change of words' weights for a label between two frames: from the pale mark to the solid one.

    Parameters
    ----------
    changes
        (word, label, weight before, weight after) of each, as returned by `EvolutionaryClassifier.weight_changes`. A
        positive weight is evidence for the label, a negative one against it.
    title, row_height
        Title of the figure; height of the row of a word, in pixels.

    >>> figure = plot_weight_changes([("wave", "surf", 2.0, 0.5), ("wave", "physics", 0.0, 3.0)])
    >>> figure.layout.yaxis.ticktext
    ('<b>wave</b> for surf', '<b>wave</b> for physics')
    """
    figure = new_figure(height=row_height * max(len(changes), 2) + 70, title=title)
    names = [f"<b>{figure_text(str(word))}</b> for {figure_text(str(label))}" for word, label, _, _ in changes]
    before_all, after_all = [before for _, _, before, _ in changes], [after for *_, after in changes]
    sides = [("before", faint(BLUE, 0.35), before_all), ("after", colour(0), after_all)]
    for number, (_, _, before, after) in enumerate(changes):
        figure.add_scatter(
            x=rounded([before, after]),
            y=[number, number],
            mode="lines",
            line={"color": faint(BLUE, 0.35), "width": 3},
            hoverinfo="skip",
            showlegend=False,
        )
    for side, shade, weights in sides:
        figure.add_scatter(
            x=rounded(weights),
            y=list(range(len(changes))),
            text=names,
            mode="markers",
            name=side,
            marker={"size": 10, "color": shade},
            hovertemplate="%{text}<br>%{x:.3~g} " + side + "<extra></extra>",
        )
    figure.add_vline(x=0, line={"color": MUTED, "width": 1, "dash": "dot"})
    figure.update_yaxes(
        tickvals=list(range(len(changes))), ticktext=names, range=[len(changes) - 0.5, -0.5], showgrid=False
    )
    figure.update_xaxes(title_text="weight for the label", type="linear", rangemode="normal", showgrid=True)
    figure.update_layout(hovermode="closest")
    return figure
