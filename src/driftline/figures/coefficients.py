"""Coefficients of a classifier's words over time: above zero for a label, below zero against it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import plotly.graph_objects as go

from driftline.core.display import figure_text
from driftline.figures.panels import plot_panels
from driftline.figures.thinning import CurveLike


def plot_coefficients(
    changes: Sequence[tuple[str, str, CurveLike]], *, title: str | None = None, panel_height: int = 190
) -> go.Figure:
    """Draw one small panel per word.

    Parameters
    ----------
    changes
        (word, label, curve) of each word: its coefficient over time as a `Curve`, or plain ``(times, values)`` or
        ``(times, values, lower, upper)``.
    title, panel_height
        Title of the figure; height of each panel, in pixels.

    >>> import numpy as np
    >>> figure = plot_coefficients([("viagra", "spam", (np.arange(5), [2.0, 1.5, 1, 0.5, 0]))])
    >>> figure.layout.annotations[0].text
    '<b>viagra</b> for spam'
    """
    panels = [(f"<b>{figure_text(word)}</b> for {figure_text(label)}", curve) for word, label, curve in changes]
    return plot_panels(panels, zero_line=True, title=title, panel_height=panel_height)


def plot_word_movement(
    movements: Sequence[tuple[str, str, CurveLike]], *, title: str | None = None, panel_height: int = 190
) -> go.Figure:
    """Call `plot_coefficients`, of which this is the old name."""
    warnings.warn("plot_word_movement is now called plot_coefficients", FutureWarning, stacklevel=2)
    return plot_coefficients(movements, title=title, panel_height=panel_height)
