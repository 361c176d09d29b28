"""Speed of change of the whole vocabulary, compared with chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from driftline.figures.band import add_band, add_line, add_reference, time_axis
from driftline.figures.shading import Spans, mark_events, shade_periods
from driftline.figures.style import BLUE, new_figure
from driftline.figures.thinning import CurveLike, as_curve, thin


def plot_drift_speed(
    speed: CurveLike,
    noise_floor: Sequence[float] | np.ndarray | None = None,
    *,
    periods: Spans = (),
    events: Spans = (),
    unit: str = "change of the word distribution per day",
    title: str | None = None,
    height: int = 340,
) -> go.Figure:
    """Draw the speed of drift with its band, its noise floor, and the fast periods shaded.

    Parameters
    ----------
    speed
        A `Curve`, or plain ``(times, values)`` or ``(times, values, lower, upper)``.
    noise_floor
        The speed expected by chance, at the times of `speed`.
    periods
        (start, end, text) of the periods to shade, on the axis of the times.
    events
        (start, end, name) of known events, marked along the bottom.
    unit, title, height
        Unit of the speed; title and height of the figure.
    """
    figure = new_figure(height=height, title=title)
    whole = as_curve(speed)
    curve = thin(whole)
    shade_periods(figure, periods)
    add_band(figure, curve, colour=BLUE, group="speed", opacity=0.13)
    if noise_floor is not None:
        add_reference(figure, (whole.times, noise_floor), name="expected by chance", unit="", filled=True)
    add_line(figure, curve, colour=BLUE, name="speed of drift", unit="")
    time_axis(figure, curve.times)
    mark_events(figure, events)
    figure.update_yaxes(title_text=unit, exponentformat="power")
    return figure
