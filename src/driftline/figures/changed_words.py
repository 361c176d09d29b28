"""Heat map of the words that changed: a strip over time for each, in the order of their peaks."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from driftline.core.display import figure_text
from driftline.figures.band import time_axis
from driftline.figures.style import BELOW_AND_ABOVE, MUTED, new_figure
from driftline.figures.thinning import Curves, as_curve, later, on_axis, resample, since
from driftline.smoothing.curve import Curve

_COLUMNS = 180
_FARTHEST = 3.0  # doublings: 8 times the mean, or an eighth of it, has the darkest colour
_FLOOR = 0.02  # share of the mean, which bounds the logarithm of a word that is absent for a while


def plot_changed_words(
    curves: Curves,
    *,
    n_words: int = 40,
    unit: str = "of 1,000 documents",
    title: str | None = None,
    row_height: int = 19,
) -> go.Figure:
    """Draw each word as a strip whose colour is its use relative to its own mean, sorted by the time of the peak.

    Parameters
    ----------
    curves
        Word → a `Curve`, or plain ``(times, values)``, most informative first.
    n_words
        Number of words to draw.
    unit, title
        Unit of the curves; title of the figure.
    row_height
        Height of a strip, in pixels.

    The `customdata` of a cell is (value, index of the word in `curves`), so that a click can be assigned to its word.

    >>> days = np.arange(100.0)
    >>> late, early = (np.exp(-(((days - day) / 9) ** 2)) for day in (70, 20))
    >>> plot_changed_words({"late": (days, late), "early": (days, early)}).data[0].y
    ('early', 'late')
    """
    chosen = [(word, as_curve(curve)) for word, curve in list(curves.items())[:n_words]]
    figure = new_figure(height=70 + row_height * max(len(chosen), 3), title=title)
    if not chosen:
        return figure
    times = _grid([curve for _, curve in chosen])
    rates = np.array([resample(curve, times) for _, curve in chosen])
    order = np.argsort(np.nan_to_num(rates, nan=-1.0).argmax(axis=1), kind="stable")
    rates = rates[order]
    drawn = ~np.isnan(rates)
    mean = np.maximum(np.mean(np.where(drawn, rates, 0.0), axis=1, keepdims=True), 1e-300)
    mean *= rates.shape[1] / np.maximum(drawn.sum(axis=1, keepdims=True), 1)
    doublings = np.log2((rates + _FLOOR * mean) / ((1 + _FLOOR) * mean))
    places = np.broadcast_to(order[:, None], rates.shape)
    figure.add_heatmap(
        x=on_axis(times),
        y=_distinct([figure_text(chosen[i][0], longest=24) for i in order]),
        z=np.clip(doublings, -_FARTHEST, _FARTHEST).round(2).astype(np.float32),
        customdata=np.stack([rates.round(3), places], axis=-1).astype(np.float32),
        zmin=-_FARTHEST,
        zmax=_FARTHEST,
        colorscale=[list(stop) for stop in BELOW_AND_ABOVE],
        ygap=2,
        hovertemplate="<b>%{y}</b>, %{x}<br>%{customdata[0]:.3~g} " + unit + "<extra></extra>",
        colorbar={
            "orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 1, "xanchor": "right", "len": 0.42,
            "thickness": 8, "outlinewidth": 0, "ticks": "", "tickfont": {"size": 11, "color": MUTED},
            "tickvals": [-_FARTHEST, 0, _FARTHEST], "ticktext": ["⅛ of", "its own mean", "8 ×"],
            "ticklabelposition": "outside",
        },
    )  # fmt: skip
    time_axis(figure, times)
    figure.update_yaxes(type="category", autorange="reversed", showgrid=False, nticks=0, dtick=1, ticks="")
    figure.update_layout(hovermode="closest")
    return figure


def _grid(curves: list[Curve]) -> np.ndarray:
    """Return evenly spaced times over the span of all curves, at most as many as the finest curve has."""
    first, last = min(curve.times[0] for curve in curves), max(curve.times[-1] for curve in curves)
    n = min(_COLUMNS, max(len(curve.times) for curve in curves))
    return later(first, np.linspace(0.0, float(since(first, last)), n))


def _distinct(names: list[str]) -> list[str]:
    """Number repeated names (such as words truncated to the same start), which would coincide on a category axis."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result
