"""Repeat rows of kept results, two of every family, and compare them with what is kept.

    python -m benchmarks.reliability.spot_check [FAMILY …]

Figures that depend on the machine (time, memory, speed) are left out of the comparison. Rows were chosen for being
cheap: each benchmark named here takes seconds of processor time, or a minute at most.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import print_table

ROOT = Path(__file__).parents[2]
OF_THE_MACHINE = re.compile(r"\b(CPU|processor|wall|seconds|memory|tokens per s)\b")
"""What the heading of a column contains whose figures are not compared."""


class Repeated(NamedTuple):
    """A benchmark with its arguments, and two of its rows.

    A row is named by the cells that it begins with; the first such row is meant, in what is kept and in what is
    printed. If both names are the same, the second means the second such row.
    """

    name: str
    arguments: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]


CHECKS = (
    Repeated("coding.example", (), ("LCSC, squared",), ("LCSC, hellinger",)),
    Repeated("context.network", ("cora",), ("`NetworkPLSA`",), ("`NetworkTopics`",)),
    Repeated("evolving.growth", ("1000",), ("partial_fit, default",), ('partial_fit, "paper"',)),
    Repeated("graphs.rules", (), ("smokers", "mcsat"), ("smokers", "gibbs")),
    Repeated("guidance.pairs", (), ("together",), ("apart",)),
    Repeated("intensity.bursts", (), ("war",), ("sars",)),
    Repeated("labelling.loop", ("600",), ("seed 0",), ("mean",)),
    Repeated("local.spam", (), ("LocalNaiveBayes(60 days, past)",), ('LocalNaiveBayes("cv", past)',)),
    Repeated("nonparametric.start", ("--row",), ("similar clusters",), ("similar clusters",)),
    Repeated("reading.dates", (), ("20news_bydate",), ("enron_partial_folders",)),
    Repeated(
        "report.dealt_days",
        ("--no-labels", "--deals=2", "--documents=800", "abc_headlines_2003"),
        ("abc_headlines_2003", "days dealt"),
        ("abc_headlines_2003", "and posted again"),
    ),
    Repeated("sequences.hidden_markov", (), ("HiddenMarkovTagger",), ("NameFinder",)),
    Repeated("service.desk", (), ("10",), ("20",)),
    Repeated("topics.ap", ("10",), ("PLSA", "10"), ("LDA, online", "10")),
)


def rows(text: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the headings and the cells of every row of the Markdown tables in a text."""
    before: list[str] = []
    headings: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]] if line.startswith("|") else []
        if cells and all(re.fullmatch(":?-+:?", cell) for cell in cells):
            headings = before
        elif headings and cells:
            yield headings, cells
        else:
            headings = []
        before = cells


def figures(text: str, name: tuple[str, ...], which: int = 0) -> str:
    """Return the figures of a row that do not depend on the machine; `which` counts rows of that name from 0."""
    found = [(headings, cells) for headings, cells in rows(text) if tuple(cells[: len(name)]) == name]
    if len(found) <= which:
        raise SystemExit(f"no row begins with {', '.join(name)}")
    headings, cells = found[which]
    pairs = list(zip(headings, cells))[len(name) :]
    return ", ".join(cell for heading, cell in pairs if not OF_THE_MACHINE.search(heading))


def main() -> None:
    """Run the benchmarks, and print the kept and the present row of each, and whether they are the same."""
    table = []
    for check in CHECKS:
        if sys.argv[1:] and check.name.split(".")[0] not in sys.argv[1:]:
            continue
        kept = (ROOT / "benchmarks" / "results" / f"{check.name.replace('.', '/')}.md").read_text(encoding="utf-8")
        command = [sys.executable, "-W", "ignore", "-m", f"benchmarks.{check.name}", *check.arguments]
        now = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for row, which in ((check.first, 0), (check.second, int(check.first == check.second))):
            before, after = figures(kept, row, which), figures(now, row, which)
            table.append([check.name, ", ".join(row), before, after, "yes" if before == after else "no"])
        print(f"{check.name}: {', '.join(line[-1] for line in table[-2:])}", file=sys.stderr, flush=True)
    print_table("Kept results, repeated", ["benchmark", "row", "kept", "now", "same"], table)


if __name__ == "__main__":
    main()
