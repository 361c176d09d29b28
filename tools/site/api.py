"""The API reference: a page per package, written from what the packages export."""

from __future__ import annotations

import importlib
import inspect
from collections import defaultdict

from tools.site.public_names import PublicName, public_names

FOLDER = "api"
_BEHIND_THE_GUIDES = "---\nsearch:\n  boost: 0.3\n---\n\n"


def api_pages() -> dict[str, str]:
    """Return the pages by their place in the site; mkdocstrings fills in each name from its docstring."""
    packages: dict[str, list[PublicName]] = defaultdict(list)
    for name in public_names().values():
        packages[name.package].append(name)
    pages = {f"{FOLDER}/{package}.md": _page(package, names) for package, names in sorted(packages.items())}
    return {f"{FOLDER}/index.md": _index(packages)} | pages


def summary_of(package: str) -> str:
    """Return the first line of a package's docstring."""
    return (inspect.getdoc(importlib.import_module(f"driftline.{package}")) or "").split("\n")[0]


def _page(package: str, names: list[PublicName]) -> str:
    entries = [
        f"::: {name.defined_in}.{name.name}\n"
        f"    options:\n      heading: {name.exported_by}.{name.name}\n      toc_label: {name.name}\n"
        for name in sorted(names)
    ]
    return "\n".join([f"{_BEHIND_THE_GUIDES}# driftline.{package}\n\n{summary_of(package)}\n", *entries])


def _index(packages: dict[str, list[PublicName]]) -> str:
    lines = [f"{_BEHIND_THE_GUIDES}# API reference\n", "Every public name, by the package that defines it.\n"]
    for package, names in sorted(packages.items()):
        found = ", ".join(f"[`{name.name}`][{name.defined_in}.{name.name}]" for name in sorted(names))
        lines.append(f"## [driftline.{package}]({package}.md)\n\n{summary_of(package)}\n\n{found}\n")
    return "\n".join(lines)
