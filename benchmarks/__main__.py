"""`make bench`: run a row of every family; `python -m benchmarks FAMILY.NAME [ARGUMENT …]` runs one benchmark whole."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
import time
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
    """Run a row of every family, each in a process of its own; print the seconds of each and of all."""
    failed, started = [], time.perf_counter()
    for family, (name, *arguments) in QUICK.items():
        module = f"benchmarks.{family}.{name}"
        print(f"\n## {family}: python -m {' '.join([module, *arguments])}\n", flush=True)
        begun = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", module, *arguments], cwd=ROOT, check=False)
        if done.returncode:
            failed.append(module)
        print(f"\n({time.perf_counter() - begun:.0f} s)", flush=True)
    print(f"\nA row of every family in {time.perf_counter() - started:.0f} s.")
    if failed:
        print(f"Failed: {', '.join(failed)}")
    print(f"All of them, each with `python -m benchmarks.FAMILY.NAME`: {', '.join(benchmarks())}")
    return len(failed)


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
