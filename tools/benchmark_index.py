"""The index of the benchmarks: every script of every family, with its results."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def index(root: Path = ROOT) -> str:
    """Return a table per family, as linked from benchmarks/results/README.md.

    A result without a script of the same name was printed by another one, which its page names.
    """
    parts = []
    for family in sorted(path.parent for path in (root / "benchmarks").glob("*/__init__.py")):
        rows = {path.stem: _row(path, root) for path in sorted(family.glob("*.py")) if _runs(path)}
        for path in sorted((root / "benchmarks/results" / family.name).glob("*.md")):
            rows.setdefault(path.stem, f"| {path.stem.replace('_', ' ')} | | {_link(path, root)} |\n")
        lines = "".join(rows[name] for name in sorted(rows))
        parts.append(
            f"\n## {family.name}\n\n{_first_sentence(family / '__init__.py')}\n\n"
            f"| question | script | results |\n|---|---|---|\n{lines}"
        )
    return "".join(parts) + "\n"


def _row(script: Path, root: Path) -> str:
    module = ".".join(script.relative_to(root).with_suffix("").parts)
    result = root / "benchmarks/results" / script.parent.name / f"{script.stem}.md"
    link = _link(result, root) if result.exists() else ""
    return f"| {_first_sentence(script)} | `{module}` | {link} |\n"


def _link(result: Path, root: Path) -> str:
    place = result.relative_to(root / "benchmarks/results").as_posix()
    return f"[{result.stem.replace('_', ' ')}]({place})"


def _runs(script: Path) -> bool:
    return "\ndef main(" in script.read_text(encoding="utf-8")


def _first_sentence(source: Path) -> str:
    text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    words = " ".join(text.split("\n\n")[0].split())
    return re.sub(r"(?<!\\)\|", r"\\|", words)
