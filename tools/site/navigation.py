"""The navigation of the site, made from the folders."""

from __future__ import annotations

from collections.abc import Iterable

SECTIONS = {
    "Start": "",
    "Tutorials": "tutorials/",
    "Guide": "guide/",
    "Models": "models/",
    "API": "api/",
    "Decisions": "decisions/",
    "Benchmarks": "benchmarks/",
    "Project": "project/",
}
"""Sections of the site, each with the folder of its pages; "" is docs/ itself."""
FIRST = ("index.md", "which-model.md", "gallery.md", "readme.md")
"""Pages that stand first in their section, in this order."""


TITLES = {"readme.md": "README"}
"""Titles in the navigation of pages whose own title does not serve."""


def navigation(places: Iterable[str]) -> list[dict[str, list[str | dict[str, str]]]]:
    """Return the pages of every section; titles are those of the pages.

    >>> navigation(["models/lda.md", "index.md", "a.md"])
    [{'Start': ['index.md', 'a.md']}, {'Models': ['models/lda.md']}]
    """
    pages = sorted(places, key=_order)
    found: list[dict[str, list[str | dict[str, str]]]] = []
    for section, folder in SECTIONS.items():
        inside = [page for page in pages if page.startswith(folder) and (folder or "/" not in page)]
        if inside:
            found.append({section: [{TITLES[page]: page} if page in TITLES else page for page in inside]})
    return found


def _order(place: str) -> tuple[str, int, str]:
    folder, _, name = place.rpartition("/")
    return folder, FIRST.index(name) if name in FIRST else len(FIRST), name
