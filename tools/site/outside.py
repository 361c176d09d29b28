"""Pages of the site that lie outside of docs/, and links between the two."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_LINK = re.compile(r"(?P<picture>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")
_FENCED = re.compile(r"(^ *(```+|~~~+)[^\n]*\n.*?^ *\2[ ]*$)", re.M | re.S)


def outside_pages(root: Path = ROOT) -> dict[str, str]:
    """Return the place in the site of every page outside of docs/, by its place in the project."""
    named = {"README.md": "readme.md"} | {
        page.name: f"project/{page.name.lower()}" for page in sorted(root.glob("*.md")) if page.name != "README.md"
    }
    results = sorted((root / "benchmarks").rglob("*.md"))
    return named | {place: place for place in (page.relative_to(root).as_posix() for page in results)}


def relinked(markdown: str, source: str, place: str, outside: dict[str, str]) -> str:
    """Return a page whose links lead to places in the site; targets outside the site are named, not linked.

    ``source`` is the page's place in the project, ``place`` that in the site.

    >>> relinked("[a](../README.md#x), [code](../src/a.py)", "docs/b.md", "b.md", {"README.md": "readme.md"})
    '[a](readme.md#x), code'
    """

    def moved(found: re.Match[str]) -> str:
        target, mark, anchor = found["target"].partition("#")
        if not target or re.match(r"[a-z][a-z+.-]*:", target):
            return found[0]
        there = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if there in outside:
            to = outside[there]
        elif there.startswith("docs/"):
            to = there.removeprefix("docs/")
        else:
            return found["text"]
        link = posixpath.relpath(to, posixpath.dirname(place) or ".")
        return f"{found['picture']}[{found['text']}]({link}{mark}{anchor})"

    parts = _FENCED.split(markdown)
    # Of every three parts the second is a block of code and the third its fence.
    return "".join(
        part if index % 3 == 1 else _LINK.sub(moved, part) for index, part in enumerate(parts) if index % 3 != 2
    )
