"""Print the size of the sources and how much of it is repeated, untyped or too long.

python -m tools.source_figures [folder]
"""

from __future__ import annotations

import ast
import re
import statistics
import sys
from collections import defaultdict
from itertools import combinations
from pathlib import Path

RUN = 6
"""Number of consecutive equal lines that count as a repetition."""
LONG = 400
"""Number of lines above which a file should be split."""


def main(root: Path) -> None:
    """Print one row per figure for the Python files below `root`."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.py"))}
    lengths = [text.count("\n") for text in texts.values()]
    rows = {
        "files": len(texts),
        "lines": sum(lengths),
        "median lines per file": int(statistics.median(lengths)),
        f"files above {LONG} lines": sum(length > LONG for length in lengths),
        "annotations with Any": sum(_any_annotations(text) for text in texts.values()),
        "lines that mention Any": sum(
            bool(re.search(r"\bAny\b", line)) for text in texts.values() for line in text.splitlines()
        ),
        f"pairs of files with {RUN} equal lines in a row": len(_repeating_pairs(texts)),
    }
    print("| figure | value |\n|---|---|")
    for name, value in rows.items():
        print(f"| {name} | {value:,} |")


def _any_annotations(text: str) -> int:
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


def _repeating_pairs(texts: dict[Path, str]) -> set[tuple[Path, Path]]:
    """Return the pairs of files that share a run of lines; imports, blank lines and lone brackets do not count."""
    places: dict[tuple[str, ...], set[Path]] = defaultdict(set)
    for path, text in texts.items():
        lines = [line.strip() for line in text.splitlines()]
        lines = [line for line in lines if len(line) > 2 and not line.startswith(("import ", "from ", "#", '"""'))]
        for start in range(len(lines) - RUN + 1):
            places[tuple(lines[start : start + RUN])].add(path)
    return {pair for paths in places.values() if len(paths) > 1 for pair in combinations(sorted(paths), 2)}


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "src/driftline"))
