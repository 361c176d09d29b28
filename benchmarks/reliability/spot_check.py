"""Repeat rows of kept results, and compare them with what is kept.

python -m benchmarks.reliability.spot_check

Each benchmark named here takes less than a minute and prints the same figures on every machine.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.measure import print_table

ROOT = Path(__file__).parents[2]
ROWS = {
    "coding.example": ("LCSC, squared", "LCSC, hellinger"),
    "reading.dates": ("20news_bydate", "enron_partial_folders"),
}
"""Benchmark → the first cells of two of its rows."""


def row(text: str, first: str) -> str:
    """Return the row of a Markdown table that begins with a cell, without its first cell and its spaces."""
    found = [line for line in text.splitlines() if line.startswith("|") and line.split("|")[1].strip() == first]
    if len(found) != 1:
        raise SystemExit(f"{len(found)} rows begin with {first!r}; there should be one")
    return ", ".join(cell.strip() for cell in found[0].split("|")[2:-1])


def main() -> None:
    """Run the benchmarks, and print the kept and the present row of each, and whether they are the same."""
    rows = []
    for name, firsts in ROWS.items():
        kept = (ROOT / "benchmarks" / "results" / f"{name.replace('.', '/')}.md").read_text(encoding="utf-8")
        command = [sys.executable, "-W", "ignore", "-m", f"benchmarks.{name}"]
        now = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for first in firsts:
            before, after = row(kept, first), row(now, first)
            rows.append([name, first, before, after, "yes" if before == after else "no"])
    print_table("Kept results, repeated", ["benchmark", "row", "kept", "now", "same"], rows)


if __name__ == "__main__":
    main()
