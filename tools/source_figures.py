"""Print the size of the sources and how much of it is repeated, untyped or too long.

python -m tools.source_figures [folder]
"""

from __future__ import annotations

import ast
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

RUN = 6
"""Number of consecutive equal lines that count as a repetition."""
LONG = 400
"""Number of lines above which a file should be split."""


def main(root: Path) -> None:
    """Print one row per figure for the Python files below `root`."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.py"))}
    print("| figure | value |\n|---|---|")
    for name, value in figures(texts).items():
        print(f"| {name} | {value:,} |")


def figures(texts: dict[Path, str]) -> dict[str, int]:
    """Return the figures of some Python files by name."""
    lengths = [text.count("\n") for text in texts.values()]
    return {
        "files": len(texts),
        "lines": sum(lengths),
        "median lines per file": int(statistics.median(lengths)),
        f"files above {LONG} lines": sum(length > LONG for length in lengths),
        "annotations with Any": sum(any_annotations(text) for text in texts.values()),
        "lines that mention Any": sum(
            bool(re.search(r"\bAny\b", line)) for text in texts.values() for line in text.splitlines()
        ),
        f"pairs of files with {RUN} equal lines in a row": len(repeating_pairs(texts, _all_lines)),
        "… of code, without docstrings": len(repeating_pairs(texts, _code_lines)),
    }


def any_annotations(text: str) -> int:
    """Return the number of annotations that mention Any."""
    found = 0
    for node in ast.walk(ast.parse(text)):
        hints: list[ast.expr | None] = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            hints.append(node.returns)
        elif isinstance(node, ast.arg | ast.AnnAssign):
            hints.append(node.annotation)
        found += sum(bool(re.search(r"\bAny\b", ast.unparse(hint))) for hint in hints if hint is not None)
    return found


def repeating_pairs(texts: dict[Path, str], lines_of: Callable[[str], list[str]]) -> set[tuple[Path, Path]]:
    """Return the pairs of files that share a run of lines."""
    places: dict[tuple[str, ...], set[Path]] = defaultdict(set)
    for path, text in texts.items():
        lines = lines_of(text)
        for start in range(len(lines) - RUN + 1):
            places[tuple(lines[start : start + RUN])].add(path)
    return {pair for paths in places.values() for pair in combinations(sorted(paths), 2)}


def _all_lines(text: str) -> list[str]:
    """Return the lines of a file; imports, comments, blank lines and lone brackets do not count."""
    return [line for _, line in _counted(text)]


def _code_lines(text: str) -> list[str]:
    """Return the same without documentation."""
    documented: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            documented.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return [line for number, line in _counted(text) if number not in documented]


def _counted(text: str) -> Iterator[tuple[int, str]]:
    imported: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if len(stripped) > 2 and number not in imported and not stripped.startswith(("#", '"""')):
            yield number, stripped


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "src/driftline"))
