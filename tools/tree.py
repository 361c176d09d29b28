"""Print the folders of the project, a line each: ``python -m tools.tree``.

The line of a package is the first sentence of its docstring; folders without one are described here.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("src/driftline", "tests", "benchmarks", "tools")
"""Folders whose packages are listed, in this order."""
OTHERS = {
    "src/driftline/service/page": "The page of the live service: plain JavaScript modules, one per screen.",
    "docs": "The documentation, and what builds the pictures of the README.",
    "docs/tutorials": "Tutorials: headlines, a git history, and one for each kind of reader.",
    "docs/guide": "A page per task.",
    "docs/models": "A page per model, equation by equation.",
    "docs/decisions": "What was chosen where the choice was hard, by subject.",
    "docs/images": "Pictures, drawn by docs/picture.py and tools/gallery.py.",
}
"""Descriptions of folders that are not packages."""
_NOT_LISTED = re.compile(r"(^|/)(__pycache__|\..*)$")


def first_sentence(folder: Path) -> str:
    """Return the first sentence of a package's docstring, on one line; "" if it has none."""
    source = folder / "__init__.py"
    text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) if source.exists() else None
    words = " ".join((text or "").split("\n\n")[0].split())
    return re.split(r"(?<=[.!?])\s", words)[0]


def folders(root: Path = ROOT) -> dict[str, str]:
    """Return every listed folder with its line, in the order of the tree."""
    found: dict[str, str] = {}
    for top in PACKAGES:
        # Tests mirror the sources, so their folders need no line of their own unless they say something else.
        for folder in sorted([root / top, *(root / top).rglob("*/")]):
            place = folder.relative_to(root).as_posix()
            is_listed = place in OTHERS or (folder / "__init__.py").exists()
            if any(_NOT_LISTED.search(part) for part in Path(place).parts) or not is_listed:
                continue
            line = OTHERS.get(place) or first_sentence(folder)
            if line or not place.startswith("tests/"):
                found[place] = line
    return found | OTHERS


def tree(root: Path = ROOT) -> str:
    """Return the list as Markdown: a folder and its line, indented by depth."""
    lines = []
    for place, line in folders(root).items():
        depth = place.count("/") - (1 if place.startswith("src/") else 0)
        shown = place if depth == 0 else place.rsplit("/", 1)[1]
        lines.append(f"{'    ' * depth}- `{shown}/`: {line}\n")
    return "".join(lines)


def main() -> None:
    """Print the list."""
    print(tree(), end="")


if __name__ == "__main__":
    main()
