"""Plotly inside a page, compressed: it is two thirds of the size of most pages."""

from __future__ import annotations

import base64
import zlib
from functools import lru_cache

from markupsafe import Markup
from plotly.offline import get_plotlyjs

from driftline.report.templating import asset

_RAW = -15


@lru_cache(maxsize=1)
def packed_plotly() -> Markup:
    """Return the elements that contain Plotly and unpack it where they are."""
    source = get_plotlyjs().encode()
    packer = zlib.compressobj(9, zlib.DEFLATED, _RAW)
    packed = base64.b64encode(packer.compress(source) + packer.flush()).decode()
    return Markup(
        f'<script type="application/octet-stream" id="packed-plotly" data-size="{len(source)}">{packed}</script>\n'
        f"<script>{asset('inflate.js')}</script>"
    )


def plotly_scripts() -> list[str]:
    """Return the scripts that `packed_plotly` runs, for the policy of the page."""
    return [asset("inflate.js"), get_plotlyjs()]
