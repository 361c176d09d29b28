"""The characteristic words of each period, in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from driftline.core.display import figure_text
from driftline.figures.style import BLUE, faint, new_figure


def plot_periods(
    periods: Mapping[str, Sequence[tuple[str, float]]],
    *,
    n_words: int = 8,
    title: str | None = None,
    row_height: int = 26,
) -> go.Figure:
    """Write the most characteristic words of each period under its name; a higher score has a darker background.

    Parameters
    ----------
    periods
        Name of the period → (word, score), best first, in time order.
    n_words
        Number of words per period.
    title, row_height
        Title of the figure; height of the row of a word, in pixels.

    >>> figure = plot_periods({"March": [("war", 9.0), ("baghdad", 7.5)], "April": [("sars", 8.0)]})
    >>> figure.data[0].text
    (['war', 'sars'], ['baghdad', ''])
    """
    rows = max((min(len(words), n_words) for words in periods.values()), default=0)
    figure = new_figure(height=70 + row_height * max(rows, 2), title=title)
    columns = [list(words[:n_words]) + [("", None)] * (rows - len(words[:n_words])) for words in periods.values()]
    figure.add_heatmap(
        x=[figure_text(name) for name in periods],
        y=[str(rank + 1) for rank in range(rows)],
        z=[[column[rank][1] for column in columns] for rank in range(rows)],
        text=[[figure_text(column[rank][0], longest=18) for column in columns] for rank in range(rows)],
        texttemplate="%{text}",
        textfont={"size": 12},
        zmin=0,
        colorscale=[[0.0, faint(BLUE, 0.03)], [1.0, faint(BLUE, 0.45)]],
        showscale=False,
        xgap=4,
        ygap=2,
        hoverongaps=False,
        hovertemplate="<b>%{text}</b><br>%{x}<br>z-score %{z:.1f}<extra></extra>",
    )
    figure.update_xaxes(type="category", side="top", ticks="", showline=False)
    figure.update_yaxes(type="category", autorange="reversed", visible=False)
    figure.update_layout(hovermode="closest")
    return figure
