"""The text of an HTML page, extracted in one pass in linear time, even from broken or hostile pages."""

from __future__ import annotations

import html
import re

_TAG_NAME = re.compile(r"/?([A-Za-z][A-Za-z0-9]{0,15})")
_BLOCK_TAGS = (
    "address article aside blockquote br dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main nav "
    "ol p pre section table td th tr ul"
)
_BLOCKS = frozenset(_BLOCK_TAGS.split())
_UNSHOWN = ("script", "style", "head", "title", "template")
_SPACES = re.compile(r"[ \t\r\f\v\xa0]{2,}|[\t\r\f\v\xa0]")
_LINES = re.compile(r" ?\n[ \n]*")


def html_to_text(page: str) -> str:
    """Return the text that a reader of the page would see, without tags, scripts and styles.

    >>> html_to_text("<title>x</title><p>War &amp; <b>peace</b><!-- no --><script>alert(1)</script><p>2 < 3")
    'War & peace\\n2 < 3'
    """
    parts: list[str] = []
    position = 0
    never_again: set[str] = set()  # tags whose end was not found need not be searched again
    while (start := page.find("<", position)) >= 0:
        parts.append(page[position:start])
        if page.startswith("<!--", start):
            position = _behind(page, "-->", start + 4, never_again) or len(page)
            continue
        name = _TAG_NAME.match(page, start + 1)
        if name is None and page[start + 1 : start + 2] not in ("!", "?"):
            parts.append("<")  # a less-than sign
            position = start + 1
            continue
        end = _behind(page, ">", start + 1, never_again)
        if end is None:
            parts.append(page[start:])
            position = len(page)
            break
        position = end
        tag = name[1].lower() if name is not None else ""
        if tag in _BLOCKS:
            parts.append("\n")
        if tag in _UNSHOWN and page[start + 1] != "/":
            position = _behind_closing(page, tag, end, never_again)
    parts.append(page[position:])
    text = _SPACES.sub(" ", html.unescape("".join(parts)).replace("\xa0", " "))
    return _LINES.sub("\n", text).strip()


def _behind(page: str, wanted: str, position: int, never_again: set[str]) -> int | None:
    """Return the end of the next occurrence of `wanted`, or None if there is none."""
    if wanted in never_again:
        return None
    found = page.find(wanted, position)
    if found < 0:
        never_again.add(wanted)
        return None
    return found + len(wanted)


def _behind_closing(page: str, tag: str, position: int, never_again: set[str]) -> int:
    """Return the end of the closing tag, or `position` if there is none: the rest of the page is then read as text."""
    wanted = f"</{tag}"
    if wanted in never_again:
        return position
    # Not </header> for an open head, whose end tag may be omitted.
    found = re.compile(re.escape(wanted) + "(?![A-Za-z0-9-])", re.IGNORECASE).search(page, position)
    if found is None:
        never_again.add(wanted)
        return position
    return _behind(page, ">", found.end(), never_again) or len(page)
