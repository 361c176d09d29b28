"""Small pictures of results for notebooks, as SVG: no script, nothing from the network, every name escaped.

Unlike the figures of `driftline.figures`, they are not interactive.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from driftline.core.arrays import Bools, Floats, Times
from driftline.core.display import visible
from driftline.core.times import TimeAxis

MOST_PANELS, MOST_BARS = 6, 12
_COLUMNS = 3
_WIDTH, _HEIGHT = 220, 118
_LEFT, _TOP, _RIGHT, _BOTTOM = 8, 22, 212, 98
_NAMES, _BARS, _ROW = 170, 300, 18
_BLUE = "#2f7fb5"
_LONGEST_NAME = 26


class Picture(Protocol):
    """Something that can be drawn."""

    def svg(self) -> str:
        """Return the picture as one SVG element."""
        ...


class Series(NamedTuple):
    """A named curve over time, with or without a band."""

    name: str
    times: Times
    value: Floats
    lower: Floats | None = None
    upper: Floats | None = None


@dataclass(frozen=True)
class Curves:
    """The first few of some curves, each in a panel with its own scale.

    >>> picture = Curves([Series("war", np.array([0.0, 1.0]), np.array([2.0, 4.0]))])
    >>> picture.svg().startswith("<svg "), "<script" in picture.svg()
    (True, False)
    """

    series: Sequence[Series]

    def svg(self) -> str:
        """Draw at most `MOST_PANELS` panels, three side by side."""
        shown = self.series[:MOST_PANELS]
        n_rows = -(-len(shown) // _COLUMNS)
        places = [(_WIDTH * (place % _COLUMNS), _HEIGHT * (place // _COLUMNS)) for place in range(len(shown))]
        panels = "".join(f'<g transform="translate({x} {y})">{_panel(each)}</g>' for (x, y), each in zip(places, shown))
        names = ", ".join(each.name for each in shown)
        return _svg(panels, _WIDTH * min(len(shown), _COLUMNS), _HEIGHT * n_rows, f"Curves over time: {names}")


@dataclass(frozen=True)
class Bars:
    """A bar per name, from zero; the first few are drawn.

    >>> "war &amp; peace" in Bars(["war & peace"], np.array([3.0]), "uses").svg()
    True
    """

    names: Sequence[str]
    values: Floats
    quantity: str

    def svg(self) -> str:
        """Draw at most `MOST_BARS` bars."""
        values = np.asarray(self.values, dtype=np.float64)[:MOST_BARS]
        names = [str(name) for name in self.names[:MOST_BARS]]
        values = np.where(np.isfinite(values), values, 0.0)
        low, high = min(0.0, values.min(initial=0.0)), max(0.0, values.max(initial=0.0))
        scale = (_BARS - 50) / ((high - low) or 1.0)
        zero = _NAMES - low * scale
        parts = [_text(_NAMES, 12, self.quantity, faint=True)]
        for row, (name, value) in enumerate(zip(names, values), start=1):
            middle = _ROW * row + 12
            left, width = zero + min(value, 0.0) * scale, abs(value) * scale
            parts.append(_text(_NAMES - 6, middle, name, anchor="end"))
            parts.append(f'<rect x="{left:.1f}" y="{middle - 10}" width="{width:.1f}" height="12" fill="{_BLUE}"/>')
            parts.append(_text(zero + max(value, 0.0) * scale + 4, middle, f"{value:.3g}", faint=True))
        return _svg("".join(parts), _NAMES + _BARS, _ROW * (len(names) + 1) + 4, f"{self.quantity}: {', '.join(names)}")


def escaped(text: object, longest: int | None = None) -> str:
    """Return text for HTML and SVG: markup as entities, control characters replaced, a long text cut.

    >>> escaped("<b>R&D</b>", longest=5)
    '&lt;b&gt;R…'
    """
    shown = visible(str(text))
    if longest is not None and len(shown) > longest:
        shown = shown[: longest - 1] + "…"
    return html.escape(shown)


def _panel(series: Series) -> str:
    """Return one curve with its band, its range of time and its largest value."""
    value = np.asarray(series.value, dtype=np.float64)
    title = _text(_LEFT, 13, series.name)
    times = series.times
    at = TimeAxis.of(times).values(times, n=len(value)) if len(value) else value
    drawn = np.isfinite(value)
    if not drawn.any():
        return title + _text(_LEFT, 60, "nothing to draw", faint=True)
    lower = value if series.lower is None else np.asarray(series.lower, dtype=np.float64)
    upper = value if series.upper is None else np.asarray(series.upper, dtype=np.float64)
    banded = drawn & np.isfinite(lower) & np.isfinite(upper)
    lower, upper = np.where(banded, lower, value), np.where(banded, upper, value)
    low, high = min(0.0, float(lower[drawn].min())), max(0.0, float(upper[drawn].max()))
    x = _LEFT + (at - at.min()) * ((_RIGHT - _LEFT) / (np.ptp(at) or 1.0))
    y, y_low, y_high = (
        _BOTTOM - (each - low) * ((_BOTTOM - _TOP) / ((high - low) or 1.0)) for each in (value, lower, upper)
    )
    parts = [title, _text(_RIGHT, 13, f"{high:.3g}", anchor="end", faint=True)]
    parts.append(f'<path d="M{_LEFT} {_BOTTOM}H{_RIGHT}" stroke="currentColor" stroke-opacity="0.3"/>')
    for first, last in _runs(drawn):
        part = slice(first, last)
        edge = [*zip(x[part], y_high[part]), *zip(x[part][::-1], y_low[part][::-1])]
        if series.lower is not None:
            parts.append(f'<path d="{_path(edge)}Z" fill="{_BLUE}" fill-opacity="0.2"/>')
        if last - first == 1:
            parts.append(f'<circle cx="{x[first]:.1f}" cy="{y[first]:.1f}" r="1.5" fill="{_BLUE}"/>')
        else:
            parts.append(f'<path d="{_path(list(zip(x[part], y[part])))}" fill="none" stroke="{_BLUE}"/>')
    parts.append(_text(_LEFT, _HEIGHT - 6, moment(times, 0), faint=True))
    parts.append(_text(_RIGHT, _HEIGHT - 6, moment(times, -1), anchor="end", faint=True))
    return "".join(parts)


def moment(times: Times, place: int) -> str:
    """Format one of the times: the day of a date, or the number."""
    time = np.asarray(times)[place]
    return str(time)[:10] if isinstance(time, np.datetime64 | str) else f"{float(time):.6g}"


def _runs(drawn: Bools) -> Iterator[tuple[int, int]]:
    """Yield the start and the end (exclusive) of every run of drawn points."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], drawn, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist())


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _text(x: float, y: float, text: str, *, anchor: str = "start", faint: bool = False) -> str:
    opacity = ' fill-opacity="0.65"' if faint else ""
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}"{opacity}>{escaped(text, _LONGEST_NAME)}</text>'


def _svg(content: str, width: int, height: int, description: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escaped(description, 300)}" '
        f'width="{max(width, 1)}" height="{max(height, 1)}" viewBox="0 0 {max(width, 1)} {max(height, 1)}" '
        f'font-family="system-ui, sans-serif" font-size="11" fill="currentColor">{content}</svg>'
    )
