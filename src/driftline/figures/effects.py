"""Effects of a variable on the shares of topics: curves with bands for numbers and times, points for groups."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from driftline.core.display import figure_text
from driftline.figures.style import INK, colour, new_figure
from driftline.figures.topics import plot_topics
from driftline.topics.contexts.effects import Effects


def plot_effects(
    effects: Effects,
    variable: str,
    *,
    topics: Sequence[int] | None = None,
    names: Sequence[str] | None = None,
    title: str | None = None,
) -> go.Figure:
    """Draw the adjusted shares of topics along a variable.

    Parameters
    ----------
    effects
        The result of `driftline.effects`.
    variable
        A variable of its formula.
    topics
        The topics to draw; by default the six with the smallest p-values.
    names
        Names of all topics; by default their numbers.
    title
        Title of the figure.

    >>> import numpy as np
    >>> from driftline import LDA, effects
    >>> X = np.random.default_rng(0).poisson(1.0, (60, 8))
    >>> found = effects(LDA(2, random_state=0).fit(X), X, "party", data={"party": ["left", "right"] * 30})
    >>> plot_effects(found, "party").data[0].x
    ('left', 'right')
    """
    chosen = effects.term_p_value.min(axis=1).argsort(kind="stable")[:6].tolist() if topics is None else list(topics)
    called = {k: f"topic {k}" if names is None else str(names[k]) for k in chosen}
    found = effects.along(variable)
    if found.values.dtype.kind != "O":
        return plot_topics({called[k]: effects.curve(k, variable) for k in chosen}, unit="% of the words", title=title)
    figure = new_figure(height=420, title=title)
    groups = [figure_text(str(value), longest=24) for value in found.values]
    for number, k in enumerate(chosen):
        figure.add_scatter(
            x=groups,
            y=100 * found.share[k],
            name=figure_text(called[k], longest=24),
            mode="markers",
            marker={"size": 9, "color": colour(number)},
            error_y={
                "type": "data",
                "symmetric": False,
                "array": 100 * (found.upper[k] - found.share[k]),
                "arrayminus": 100 * (found.share[k] - found.lower[k]),
                "color": INK,
                "thickness": 1,
            },
            hovertemplate="%{x}: %{y:.1f} %<extra></extra>",
        )
    figure.update_yaxes(title="share of words, %", rangemode="tozero")
    figure.update_layout(scattermode="group")
    return figure
