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
    "Benchmarks": "benchmarks/results/",
    "Project": "project/",
}
"""Sections of the site, each with the folder of its pages; "" is docs/ itself."""
FIRST = ("index.md", "README.md", "which-model.md", "gallery.md", "readme.md")
"""Pages that stand first in their section, in this order."""


TITLES = {"readme.md": "README"}
"""Titles in the navigation of pages whose own title does not serve."""
Entry = str | dict[str, str] | dict[str, list[str]]


def navigation(places: Iterable[str]) -> list[dict[str, list[Entry]]]:
    """Return the pages of every section; titles are those of the pages.

    Pages in a folder within the folder of a section (the results of a family of benchmarks) stand under its name.
    """
    pages = sorted(places, key=_order)
    found: list[dict[str, list[Entry]]] = []
    for section, folder in SECTIONS.items():
        inside = [page for page in pages if page.startswith(folder) and (folder or "/" not in page)]
        if inside:
            found.append({section: _entries(inside, folder)})
    return found


def _entries(pages: list[str], folder: str) -> list[Entry]:
    entries: list[Entry] = []
    nested: dict[str, list[str]] = {}
    for page in pages:
        below = page.removeprefix(folder).rpartition("/")[0]
        if below:
            nested.setdefault(below, []).append(page)
        else:
            entries.append({TITLES[page]: page} if page in TITLES else page)
    return entries + [{name: inside} for name, inside in nested.items()]


def _order(place: str) -> tuple[str, int, str]:
    folder, _, name = place.rpartition("/")
    return folder, FIRST.index(name) if name in FIRST else len(FIRST), name
