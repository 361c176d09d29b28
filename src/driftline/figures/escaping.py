"""Words, labels and titles as text: Plotly reads a little HTML in every string it draws; documents are untrusted."""

from __future__ import annotations

from driftline.core.display import visible

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def as_text(text: str, *, longest: int = 40) -> str:
    """Return `text` so that Plotly shows its characters instead of obeying them.

    Markup becomes entities, and a very long text is cut and ends in ``…``; see also `driftline.core.display`.

    >>> as_text("<b>R&D</b>")
    '&lt;b&gt;R&amp;D&lt;/b&gt;'
    >>> as_text("x" * 50, longest=5)
    'xxxx…'
    """
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return "".join(_ENTITIES.get(character, character) for character in visible(text))
