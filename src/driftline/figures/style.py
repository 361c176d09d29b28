"""The common look of all figures: fonts, margins, and colours that colour-blind readers can distinguish."""

from __future__ import annotations

from functools import cache

import plotly.graph_objects as go

INK = "#1d2733"
MUTED = "#5d6b7a"
RULE = "#dfe3e6"
BLUE = "#0b6a9f"
ORANGE = "#cf5a13"
DARK_ORANGE = "#b84a0a"
"""Orange of small text, dark enough on paper; pages replace it in the dark."""
TRUTH = "#1d2733"

PALETTE = ("#0b6a9f", "#cf5a13", "#12856a", "#a4508b", "#b8860b", "#4fa3d1", "#7a5c3e", "#5d6b7a")
"""Colours of labels: blue, vermilion, green, purple, ochre, sky, brown, grey; safe for common colour blindness."""

BELOW_AND_ABOVE = (
    (0.0, "#bccad5"),
    (0.3, "#e3e9ec"),
    (0.5, "#faf8f3"),
    (0.64, "#fbd9a5"),
    (0.8, "#f08c42"),
    (1.0, "#aa300a"),
)
"""Colour scale from far below the mean (pale blue) over the mean (paper) to far above it (dark orange).

No other scale has these colours, because a dark page replaces each by one of a scale that is brightest far above it.
"""

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def colour(number: int) -> str:
    """Return the colour of series `number`, from 0; colours repeat after the last."""
    return PALETTE[number % len(PALETTE)]


def faint(hex_colour: str, opacity: float = 0.18) -> str:
    """Return a colour for the band of a curve in `hex_colour`.

    >>> faint("#0b6a9f", 0.2)
    'rgba(11, 106, 159, 0.2)'
    """
    red, green, blue = (int(hex_colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity})"


def new_figure(*, height: int, title: str | None = None) -> go.Figure:
    """Return an empty figure in the common look; `title` is trusted text."""
    figure = go.Figure(layout={"template": _template(), "height": height})
    if title:
        figure.update_layout(title={"text": title, "x": 0, "xref": "paper", "font": {"size": 16}}, margin_t=56)
    return figure


@cache
def _template() -> go.layout.Template:
    axis = {
        "gridcolor": RULE,
        "linecolor": RULE,
        "zeroline": False,
        "automargin": True,
        "title": {"font": {"size": 12, "color": MUTED}},
        "tickfont": {"size": 12, "color": MUTED},
    }
    return go.layout.Template(
        layout={
            "font": {"family": FONT, "size": 13, "color": INK},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": list(PALETTE),
            "margin": {"l": 8, "r": 12, "t": 16, "b": 8},
            "xaxis": axis | {"showgrid": False, "ticks": "outside", "tickcolor": RULE, "ticklen": 5},
            "yaxis": axis | {"rangemode": "tozero", "nticks": 6},
            "hovermode": "x unified",
            "hoverlabel": {
                "bgcolor": "#ffffff",
                "bordercolor": RULE,
                "font": {"family": FONT, "size": 12, "color": INK},
            },
            "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 12}},
            "dragmode": "zoom",
        }
    )
