"""Words, labels and titles as text: Plotly reads a little HTML in every string it draws; documents are untrusted."""

from __future__ import annotations

import unicodedata

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_CONTROLS = {"Cc", "Cs", "Zl", "Zp"}
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def as_text(text: str, *, longest: int = 40) -> str:
    """Return `text` so that Plotly shows its characters instead of obeying them.

    Markup becomes entities, and a very long text is cut and ends in ``…``; see also `visible`.

    >>> as_text("<b>R&D</b>")
    '&lt;b&gt;R&amp;D&lt;/b&gt;'
    >>> as_text("x" * 50, longest=5)
    'xxxx…'
    """
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return "".join(_ENTITIES.get(character, character) for character in visible(text))


def visible(text: str) -> str:
    """Put a replacement character for controls, lone surrogates, and marks that turn the direction of what follows.

    Line breaks and tabs become spaces.

    >>> visible("safe\\u202egnp.exe") == "safe\\ufffdgnp.exe"
    True
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character in "\r\n\t":
        return " "
    if character in _TURNING or unicodedata.category(character) in _CONTROLS:
        return "\ufffd"
    return character
