"""`make bench`: run a row of every family; `python -m benchmarks FAMILY.NAME [ARGUMENT …]` runs one benchmark whole."""

from __future__ import annotations

import importlib
import os
import pkgutil
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
QUICK = {
    "reading": ("counts", "20000", "--row"),
    "local": ("running_sums", "--row"),
    "evolving": ("growth", "1000"),
    "labelling": ("growth", "500"),
    "intensity": ("speed", "--row"),
    "coding": ("example", "2"),
    "topics": ("stream", "200000"),
    "context": ("coverage", "--row"),
    "guidance": ("words", "--row"),
    "nonparametric": ("start", "--row"),
    "graphs": ("linked", "--row"),
    "sequences": ("hidden_markov", "--row"),
    "service": ("throughput", "--row"),
    "report": ("first_screen", "simulate_newswire"),
    "reliability": ("growth", "--rows", "read-10000,topics-10000"),
}
"""A benchmark of each family that takes a fraction of a minute and needs no real data, with its arguments."""


def benchmarks() -> list[str]:
    """Return the names of all benchmarks, as FAMILY.NAME."""
    found = []
    for family in QUICK:
        package = importlib.import_module(f"benchmarks.{family}")
        found += [f"{family}.{module.name}" for module in pkgutil.iter_modules(package.__path__)]
    return found


def run_quick() -> int:
    """Run a row of every family, each in a process of its own; print what each takes, and all of them."""
    rows = []
    for family, (name, *arguments) in QUICK.items():
        module = f"benchmarks.{family}.{name}"
        print(f"\n## {family}: python -m {' '.join([module, *arguments])}\n", flush=True)
        begun, used = time.perf_counter(), child_seconds()
        done = subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, check=False)
        rows.append((family, module, child_seconds() - used, time.perf_counter() - begun, done.returncode))
    print(f"\n## Time\n\n{table(rows)}")
    print(f"All of them, each with `python -m benchmarks.FAMILY.NAME`: {', '.join(benchmarks())}")
    return sum(bool(code) for *_, code in rows)


def child_seconds() -> float:
    """Return the CPU seconds of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table(rows: Sequence[tuple[str, str, float, float, int]]) -> str:
    """Return the CPU seconds and the seconds of every family and of all, and which failed, as Markdown.

    >>> print(table([("topics", "benchmarks.topics.stream", 20.4, 31.0, 0)]).splitlines()[4])
    | topics | `benchmarks.topics.stream` | 20 | 31 | |
    """
    load = ", ".join(f"{number:.1f}" for number in os.getloadavg())
    lines = [f"{os.cpu_count()} processors; load over the last 1, 5 and 15 minutes {load}.", ""]
    lines += ["| family | script | CPU s | s | |", "|---|---|--:|--:|---|"]
    for family, module, used, taken, code in rows:
        lines.append(f"| {family} | `{module}` | {used:.0f} | {taken:.0f} |{' failed ' if code else ' '}|")
    total, taken = (sum(row[place] for row in rows) for place in (2, 3))
    return "\n".join([*lines, f"| all | | {total:.0f} | {taken:.0f} | |"]) + "\n"


def main(arguments: list[str]) -> int:
    """Run the quick rows, or the benchmark that is named, with its arguments."""
    if not arguments:
        return run_quick()
    name, *others = arguments
    if name not in benchmarks():
        raise SystemExit(f"no benchmark is called {name!r}; there are {', '.join(benchmarks())}")
    return subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *others], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
