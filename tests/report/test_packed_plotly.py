from __future__ import annotations

import base64
import re
import zlib

import pytest
from plotly.offline import get_plotlyjs

from driftline.report.packed_plotly import packed_plotly, plotly_scripts
from driftline.report.templating import asset


def unpacked(page):
    return page.evaluate("() => document.querySelector('body > script:not([id])').textContent")


def document(data, size):
    packed = base64.b64encode(data).decode()
    block = f'<script type="application/octet-stream" id="packed-plotly" data-size="{size}">{packed}</script>'
    return f"<!doctype html><meta charset='utf-8'><body>{block}<script>{asset('inflate.js')}</script></body>"


def test_it_is_plotly_and_small():
    (size, packed) = re.search(r'data-size="(\d+)">([^<]*)<', packed_plotly()).groups()
    source = zlib.decompress(base64.b64decode(packed), -15)
    assert source.decode() == get_plotlyjs()
    assert int(size) == len(source)
    assert len(packed_plotly()) < len(source) / 2
    assert plotly_scripts()[1] == get_plotlyjs()


@pytest.mark.parametrize(
    ("level", "strategy"),
    [
        (9, zlib.Z_DEFAULT_STRATEGY),
        (1, zlib.Z_DEFAULT_STRATEGY),
        (0, zlib.Z_DEFAULT_STRATEGY),
        (6, zlib.Z_FIXED),
        (6, zlib.Z_HUFFMAN_ONLY),
        (6, zlib.Z_RLE),
    ],
)
def test_every_kind_of_block_is_unpacked(browser, tmp_path, level, strategy):
    text = "// " + "".join(f"war {number * number % 977} peace ÄÖß {'x' * (number % 300)} " for number in range(9000))
    packer = zlib.compressobj(level, zlib.DEFLATED, -15, 9, strategy)
    data = packer.compress(text.encode()) + packer.flush()
    path = tmp_path / "page.html"
    path.write_text(document(data, len(text.encode())))
    page = browser.new_page()
    page.goto(path.as_uri())
    assert unpacked(page) == text
    page.close()


def test_the_policy_allows_plotly_and_nothing_else(browser, report):
    page = browser.new_page()
    page.goto(report.as_uri())
    assert page.evaluate("typeof Plotly.newPlot") == "function"
    page.evaluate("() => { const other = document.createElement('script'); other.textContent = 'window.ran = 1';"
                  " document.body.append(other); }")  # fmt: skip
    assert page.evaluate("window.ran") is None
    page.close()
