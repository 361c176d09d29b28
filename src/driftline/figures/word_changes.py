"""Words that changed between two sets of documents: ratios with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from driftline.figures.differences import ShownInterval, plot_differences
from driftline.monitoring.word_changes import WordChange


def plot_word_changes(changes: Sequence[WordChange], *, title: str | None = None) -> go.Figure:
    """Draw each word's ratio of shares, now to before, on a logarithmic axis, with its interval.

    Parameters
    ----------
    changes
        The words, in the order from top to bottom.
    title
        Title of the figure.

    >>> change = WordChange("war", 0.01, 0.04, 4.0, 2.5, 6.4, 0.001, True, None)
    >>> plot_word_changes([change]).data[0].x
    (4.0,)
    """
    shown = [
        ShownInterval(
            change.word,
            change.low,
            change.ratio if math.isfinite(change.ratio) else None,
            change.high if math.isfinite(change.high) else None,
        )
        for change in changes
    ]
    return plot_differences(shown, "share now ÷ share before", ratios=True, title=title)
