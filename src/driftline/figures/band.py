"""A curve with its band: the building block of the figures over time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from driftline.core.arrays import Times
from driftline.core.date_precision import hover_format
from driftline.core.display import figure_text
from driftline.figures.style import MUTED, colour, faint
from driftline.figures.thinning import (
    AxisValue,
    CurveLike,
    Curves,
    as_times,
    drawn_runs,
    in_per_cent,
    on_axis,
    thin,
)
from driftline.smoothing.curve import Curve


def add_band(figure: go.Figure, curve: Curve, *, colour: str, group: str, opacity: float = 0.18) -> None:
    """Shade the band of `curve`, if it has one."""
    if np.array_equal(curve.lower, curve.upper):
        return
    x, y = band_outline(curve)
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines",
        line={"width": 0, "color": colour},
        fill="toself",
        fillcolor=faint(colour, opacity),
        hoverinfo="skip",
        showlegend=False,
        legendgroup=_group_key(group),
    )


def band_outline(curve: Curve) -> tuple[list[AxisValue | None], list[float | None]]:
    """Return the outline of the band: along its top and back along the bottom, one closed polygon per drawn interval.

    Polygons are separated by None, where Plotly ends a shape; a fill between two lines would bridge the gap.

    >>> nan = np.nan
    >>> band_outline(Curve([0.0, 1, 2, 3], np.array([1, nan, 3, 4]), np.zeros(4), np.full(4, 9), np.ones(4)))
    ([0.0, 0.0, None, 2.0, 3.0, 3.0, 2.0], [9.0, 0.0, None, 9.0, 9.0, 0.0, 0.0])
    """
    times = on_axis(curve.times)
    x: list[AxisValue | None] = []
    y: list[float | None] = []
    for part in drawn_runs(curve.value):
        if x:
            x.append(None)
            y.append(None)
        along = times[part]
        x += along + along[::-1]
        y += rounded(curve.upper[part]) + rounded(curve.lower[part])[::-1]
    return x, y


def add_line(figure: go.Figure, curve: Curve, *, colour: str, name: str, unit: str, **line: object) -> None:
    """Draw the line of `curve`; hovering shows the value, its band and the unit. `name` must be safe text."""
    has_band = not np.array_equal(curve.lower, curve.upper)
    template = "%{y:,.3~g}" + (" (%{customdata[0]:,.3~g} – %{customdata[1]:,.3~g})" if has_band else "") + f" {unit}"
    figure.add_scatter(
        x=on_axis(curve.times),
        y=rounded(curve.value),
        connectgaps=False,
        customdata=np.column_stack([rounded(curve.lower), rounded(curve.upper)]).tolist() if has_band else None,
        mode="lines",
        name=name,
        legendgroup=_group_key(name),
        line={"color": colour, "width": 2, **line},
        hovertemplate=template,
    )


def add_curves(figure: go.Figure, curves: Curves, unit: str, *, per_cent: bool = False) -> None:
    """Draw named curves with their bands, each in its colour; shares may be drawn in per cent."""
    for number, (name, given) in enumerate(curves.items()):
        curve, shown = thin(given), figure_text(name)
        curve = in_per_cent(curve) if per_cent else curve
        add_band(figure, curve, colour=colour(number), group=shown)
        add_line(figure, curve, colour=colour(number), name=shown, unit=unit)
        time_axis(figure, curve.times)


def add_reference(figure: go.Figure, curve: CurveLike, *, name: str, unit: str, filled: bool = False) -> None:
    """Draw a dotted line for comparison, such as the value expected by chance, optionally filled down to zero."""
    thinned = thin(curve)
    if filled:
        down_to_zero = thinned._replace(lower=np.zeros_like(thinned.value), upper=thinned.value)
        add_band(figure, down_to_zero, colour=MUTED, group=name, opacity=0.10)
    figure.add_scatter(
        x=on_axis(thinned.times),
        y=rounded(thinned.value),
        mode="lines",
        name=name,
        line={"color": MUTED, "width": 1.2, "dash": "dot"},
        hovertemplate=f"%{{y:.3~g}}{unit}",
    )


def _group_key(name: str) -> str:
    """Return a safe name for a Plotly group: its tables are plain objects, so ``__proto__`` must be avoided."""
    return f"group {name}"


def time_axis(figure: go.Figure, times: Times) -> None:
    """Set the type of the x axis, dates or numbers, according to `times`."""
    if as_times(times).dtype.kind == "M":
        figure.update_xaxes(type="date", hoverformat=hover_format())
    else:
        figure.update_xaxes(type="linear")


def rounded(values: npt.ArrayLike, digits: int = 4) -> list[float]:
    """Round to significant digits: more digits are not visible, and would make the figure three times as large.

    >>> rounded([123456.0, 0.00123456, 0.0])
    [123500.0, 0.001235, 0.0]
    """
    return [float(f"{value:.{digits}g}") for value in np.asarray(values, dtype=np.float64).tolist()]
