"""Formulas as MathML, which browsers draw without a script."""

from __future__ import annotations

import html
import re

from latex2mathml.converter import convert

_FOUND = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">(?:\\\((?P<inline>.*?)\\\)|\\\[(?P<block>.*?)\\\])</(?P=tag)>', re.S
)


def with_mathml(page: str) -> str:
    """Return the HTML of a page with its formulas drawn."""
    return _FOUND.sub(_drawn, page)


def _drawn(found: re.Match[str]) -> str:
    inline = found["inline"] is not None
    source = html.unescape(found["inline"] if inline else found["block"]).strip()
    drawn = convert(source, display="inline" if inline else "block")
    tag = found["tag"]
    return f'<{tag} class="formula" title="{html.escape(source)}">{drawn}</{tag}>'
