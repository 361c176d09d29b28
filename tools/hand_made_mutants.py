"""Put faults that tests once missed into copies of the sources, and see whether the tests notice them now.

    python -m tools.hand_made_mutants --output benchmarks/results/reliability/hand_made_mutants.md

Each fault is one replacement in one file, with the tests that must notice it. The sources themselves are not touched.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

SOURCES = Path("src")


class Fault(NamedTuple):
    """A fault in words, its file below src/driftline, the code that it replaces, and the tests that must fail."""

    name: str
    path: str
    old: str
    new: str
    tests: str


FAULTS = (
    Fault(
        "Cauchy's combination removed from the evidence of a word",
        "local/changed_words/permutation_null.py",
        "np.maximum(-fisher, -_cauchy(log_p))",
        "-fisher",
        "tests/local/changed_words/test_permutation_null.py",
    ),
    Fault(
        "The tolerance of EM absolute instead of relative",
        "inference/stopping.py",
        "now - before <= self.tolerance * abs(now)\n\n\n@dataclass(frozen=True)\nclass SmallChange:",
        "now - before <= self.tolerance\n\n\n@dataclass(frozen=True)\nclass SmallChange:",
        "tests/inference/test_stopping.py",
    ),
    Fault(
        "Dispersion without the factor 1 − share",
        "smoothing/dispersion.py",
        "expected * (1 - share_elsewhere)",
        "expected",
        "tests/smoothing/test_dispersion.py",
    ),
    Fault(
        "A renamed file recognised without its digest",
        "readers/line_follower.py",
        "if _mark_of(file, self.mark.n_bytes) == self.mark:\n                    return file",
        "if True:\n                    return file",
        "tests/readers/test_line_follower.py",
    ),
    Fault(
        "A leak of 0.1 % when a token leaves its topic",
        "compute/cpu/lda_gibbs.py",
        "    uses[j] -= 1\n    counts[j] -= weight\n",
        "    uses[j] -= 1\n    counts[j] -= weight * 0.999\n",
        "tests/compute/cpu/test_lda_gibbs.py",
    ),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Try every fault and print a table; return the number of faults that no test noticed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--output", type=Path, help="write the table to this file as well")
    given = parser.parse_args(arguments)
    rows = []
    for fault in FAULTS:
        rows.append((fault, is_noticed(fault)))
        print(f"{'caught' if rows[-1][1] else 'survived':8}  {fault.name}", file=sys.stderr, flush=True)
    table = report(rows)
    print(table)
    if given.output:
        given.output.write_text(table, encoding="utf-8")
    return sum(not noticed for _, noticed in rows)


def report(rows: Sequence[tuple[Fault, bool]]) -> str:
    """Return the outcomes as Markdown."""
    lines = [
        "# Mutants made by hand",
        "",
        "Written by `python -m tools.hand_made_mutants`: faults that the tests once missed.",
        "",
        "| fault | file | tests | outcome |",
        "|---|---|---|---|",
        *(
            f"| {fault.name} | `{fault.path}` | `{fault.tests}` | {'caught' if noticed else 'survived'} |"
            for fault, noticed in rows
        ),
    ]
    return "\n".join(lines) + "\n"


def is_noticed(fault: Fault) -> bool:
    """Return whether the tests fail with the fault; they must pass without it."""
    if _status(None, fault.tests):
        raise SystemExit(f"{fault.tests} fails without any fault; repair that first")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "src")
        shutil.copytree(SOURCES, copy, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        faulty = copy / "driftline" / fault.path
        faulty.write_text(with_fault(faulty.read_text(encoding="utf-8"), fault), encoding="utf-8")
        return _status(copy, fault.tests) == 1


def with_fault(text: str, fault: Fault) -> str:
    """Return the text of a module with the fault in it."""
    if text.count(fault.old) != 1:
        raise SystemExit(f"{fault.path} does not contain exactly once: {fault.old!r}; bring the list up to date")
    return text.replace(fault.old, fault.new)


def _status(sources: Path | None, tests: str) -> int:
    """Run tests on given sources (None: the current ones), and return the exit status of pytest: 1, if some failed."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", tests]
    path = os.pathsep.join([str((sources or SOURCES).resolve()), str(Path.cwd())])
    return subprocess.run(command, capture_output=True, env=os.environ | {"PYTHONPATH": path}).returncode


if __name__ == "__main__":
    sys.exit(main())
