"""Print figures of the project: its size, its interfaces and its tests, before the folders were rearranged and now.

python -m tools.house    (what it printed: benchmarks/results/reliability/house.md)

Figures of the sources are counted here, for the commit `BEFORE` and for the working tree; mypy is run; the calls of a
report, the mutants and the test matrix are read from the pages that their own tools wrote.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tarfile
from pathlib import Path

from tools.source_figures import figures
from tools.tree import folders

BEFORE = "4770ddb"
"""The last commit before the folders were rearranged."""
SOURCES = Path("src", "driftline")
RESULTS = Path("benchmarks", "results")
WRITTEN = {
    "hidden Markov model": "sequences/hidden_markov_model.py",
    "Dirichlet process mixture": "nonparametric/dirichlet_process_mixture.py",
}
"""Estimators that use only the contract of inference."""


def main() -> None:
    """Print the page."""
    before, now = figures(texts_at(BEFORE)), figures(texts_here())
    calls = (RESULTS / "report" / "calls.md").read_text(encoding="utf-8")
    pages = RESULTS / "reliability"
    rows = [(name, f"{before[name]:,}", f"{value:,}") for name, value in now.items()]
    rows += [
        (name, str(old), str(new))
        for name, old, new in zip(
            ("calls between folders of one report", "conversions made again in it"),
            calls_of(calls, f"Commit {BEFORE}"),
            calls_of(calls, "Now"),
        )
    ]
    print("# Figures of the project\n\nPrinted by `python -m tools.house`.\n")
    print(f"| | commit {BEFORE} | now |\n|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print("\n| | |\n|---|---|")
    print(f"| folders, a line each | {len(folders())}: [the tree](../../../docs/tree.md) |")
    print(f"| errors of mypy, strict outside of `compute/` | {mypy_errors()} |")
    for name, place in WRITTEN.items():
        lines, used = estimator_size((SOURCES / place).read_text(encoding="utf-8"))
        print(f"| lines of the {name} (`{place}`) | {lines}, with {', '.join(f'`{each}`' for each in used)} |")
    made = outcomes((pages / "hand_made_mutants.md").read_text(encoding="utf-8"))
    print(f"| faults made by hand that are caught | {made} ([list](hand_made_mutants.md)) |")
    tried = survivors((pages / "mutants.md").read_text(encoding="utf-8"))
    print(f"| mutants by the tool | {tried} ([list](mutants.md)) |")
    print("| environments in which tests were run | [test matrix](test_matrix.md) |")
    print("| calls of one report, by pair of folders | [calls](../report/calls.md) |")
    print("| same results, and speed | [spot check](spot_check.md), [speed](house_speed.md) |")
    print("| the page on which a newcomer starts | [which model for which question](../../../docs/index.md) |")


def texts_here() -> dict[Path, str]:
    """Return the Python files of the working tree."""
    return {path: path.read_text(encoding="utf-8") for path in sorted(SOURCES.rglob("*.py"))}


def texts_at(commit: str) -> dict[Path, str]:
    """Return the Python files of a commit."""
    packed = subprocess.run(["git", "archive", commit, SOURCES.as_posix()], capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        files = [(member.name, archive.extractfile(member)) for member in archive if member.name.endswith(".py")]
        return {Path(name): file.read().decode() for name, file in files if file is not None}


def calls_of(page: str, part: str) -> tuple[str, str]:
    """Return the number of calls between folders and of repeated conversions from one part of the page of calls."""
    text = page.partition(f"\n## {part}\n")[2].partition("\n## ")[0]
    total = re.search(r"^\| all \|.*\| ([\d,]+) \|$", text, flags=re.MULTILINE)
    cells = [line.split("|") for line in text.splitlines() if " → " in line]
    repeated = sum(int(each[5].replace(",", "")) for each in cells)
    return total[1] if total else "unknown", f"{repeated:,}"


def estimator_size(source: str) -> tuple[int, list[str]]:
    """Return the number of lines of a module, and the modules of inference that it and its family's files import."""
    names = {
        node.module or ""
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and not (node.module or "").startswith(("driftline.core", "driftline.text"))
    }
    used = sorted(name.removeprefix("driftline.") for name in names if name.startswith("driftline.inference"))
    own = sorted(
        name.removeprefix("driftline.")
        for name in names
        if name.startswith(("driftline.sequences", "driftline.nonparametric"))
    )
    return source.count("\n"), [*used, *own]


def outcomes(page: str) -> str:
    """Return how many of the faults of a table are caught.

    >>> outcomes("| fault | file | tests | outcome |\\n|---|---|---|---|\\n| a | b | c | caught |\\n")
    '1 of 1'
    """
    found = [line.strip("| ").rpartition("|")[2].strip() for line in page.splitlines() if line.startswith("|")][2:]
    return f"{found.count('caught')} of {len(found)}"


def survivors(page: str) -> str:
    """Return the numbers of mutants that were tried, and of those that survived."""
    cells = [re.findall(r"\d+", line.partition("|")[2].partition("|")[2]) for line in page.splitlines()]
    rows = [[int(cell) for cell in row] for line, row in zip(page.splitlines(), cells) if _is_row(line)]
    tried, survived = (sum(row[place] for row in rows) for place in (0, 3))
    return f"{tried} tried, {survived} survived"


def mypy_errors() -> int:
    """Return the number of errors of mypy with the settings of the project."""
    done = subprocess.run([sys.executable, "-m", "mypy"], capture_output=True, text=True)
    return sum(": error: " in line for line in done.stdout.splitlines())


def _is_row(line: str) -> bool:
    return re.fullmatch(r"\| \w+ \| \d+ \| \d+ \| \d+ \| \d+ \|", line) is not None


if __name__ == "__main__":
    main()
