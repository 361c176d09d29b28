"""Put small faults into modules, one at a time, and see whether the tests of the module notice.

    python -m tools.mutants --sample 200 --output mutants.md src/driftline/persistence
    python -m tools.mutants --again mutants.md    # the survivors once more, after tests were added

Each fault is tried in a process forked from one that has already imported the libraries, so a mutant costs little more
than its tests. Nothing is written to the sources: the fault is put into the module when the process imports it. The
tests are those of the mirror file (`src/driftline/a/b.py` → `tests/a/test_b.py`), without those marked slow.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.util
import os
import random
import re
import select
import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tools.mutations import Mutation, mutated, mutations

SOURCES, TESTS = Path("src"), Path("tests")
DEFAULT_PATHS = ("inference", "smoothing", "persistence", "local/changed_words")
"""Folders and files of driftline that are mutated unless others are named."""
PATIENCE = 5.0
"""Factor on the time of the unchanged tests after which a mutant counts as one that never ends."""
LIBRARIES = ("numba", "numpy", "pyarrow", "pytest", "scipy.sparse", "scipy.stats", "sklearn.base")
CAUGHT, SURVIVED, ENDLESS = "caught", "survived", "never ended"


class Trial(NamedTuple):
    """One mutant and what its tests said: "caught", "survived" or "never ended"."""

    path: Path
    mutation: Mutation
    outcome: str

    def __str__(self) -> str:
        return f"{self.path.as_posix()}:{self.mutation}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Try a sample of mutants, and print or write what survived."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="folders and files under src/; default: the core ones")
    parser.add_argument("--sample", type=int, default=200, help="number of mutants to try (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="which sample (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=25.0, help="time after which no more are tried")
    parser.add_argument("--again", type=Path, help="try the survivors that this file lists instead of a sample")
    parser.add_argument("--output", type=Path, help="write the table to this file as well")
    given = parser.parse_args(arguments)
    paths = given.paths or [SOURCES / "driftline" / path for path in DEFAULT_PATHS]
    for library in LIBRARIES:
        importlib.import_module(library)
    candidates, untested = gathered(paths)
    if given.again:
        chosen = listed(given.again.read_text(encoding="utf-8"), candidates)
    else:
        chosen = random.Random(given.seed).sample(candidates, min(given.sample, len(candidates)))
    trials = tried(sorted(chosen, key=lambda pair: (pair[0], pair[1].line)), 60 * given.minutes)
    table = report(trials, len(candidates), untested, given.seed)
    print(table)
    if given.output:
        given.output.write_text(table, encoding="utf-8")
    return 0


def gathered(paths: Sequence[Path]) -> tuple[list[tuple[Path, Mutation]], list[Path]]:
    """Return every mutant of the modules under some paths, and the modules that have faults to offer but no tests."""
    found, untested = [], []
    for root in paths:
        for path in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
            faults = mutations(path.read_text(encoding="utf-8"))
            if mirror(path).exists():
                found += [(path, mutation) for mutation in faults]
            elif faults:
                untested.append(path)
    return found, untested


def listed(text: str, candidates: Sequence[tuple[Path, Mutation]]) -> list[tuple[Path, Mutation]]:
    """Return the mutants that an earlier table lists as survivors, each where it is nearest now."""
    found = []
    for path, line, change in re.findall(r"^- `(.+?):(\d+): (.+)`$", text, flags=re.MULTILINE):
        alike = [pair for pair in candidates if pair[0].as_posix() == path and pair[1].change == change]
        if alike:
            found.append(min(alike, key=lambda pair: abs(pair[1].line - int(line))))
    return found


def mirror(path: Path) -> Path:
    """Return the file with the tests of a module.

    >>> mirror(Path("src/driftline/a/b.py")).as_posix()
    'tests/a/test_b.py'
    """
    inner = path.relative_to(SOURCES / "driftline")
    return TESTS / inner.parent / f"test_{inner.name}"


def tried(mutants: Sequence[tuple[Path, Mutation]], seconds: float) -> list[Trial]:
    """Try mutants one after another until the time is over."""
    end, limits, trials = time.monotonic() + seconds, {}, []
    for path, mutation in mutants:
        if time.monotonic() > end:
            break
        if path not in limits:
            begun = time.monotonic()
            if run_tests(path, None, 600.0) != 0:
                raise SystemExit(f"{mirror(path)} fails without any fault; mend that first")
            limits[path] = 10.0 + PATIENCE * (time.monotonic() - begun)
        code = run_tests(path, mutation, limits[path])
        outcome = ENDLESS if code is None else SURVIVED if code == 0 else CAUGHT
        trials.append(Trial(path, mutation, outcome))
        print(f"{len(trials):4d}  {outcome:11}  {trials[-1]}", file=sys.stderr, flush=True)
    return trials


def run_tests(path: Path, mutation: Mutation | None, limit: float) -> int | None:
    """Run the tests of a module in a process of their own; return its exit code, None after the time limit."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = _in_child(path, mutation)
        finally:
            os._exit(code)
    descriptor = os.pidfd_open(child)
    try:
        ended, _, _ = select.select([descriptor], [], [], limit)
        if not ended:
            os.killpg(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
    finally:
        os.close(descriptor)
    return os.waitstatus_to_exitcode(status) if ended else None


def report(trials: Sequence[Trial], n_mutants: int, untested: Sequence[Path], seed: int) -> str:
    """Return the table of outcomes by folder, and the list of survivors, as Markdown."""
    lines = ["# Mutants", "", "Written by `make mutants` (`python -m tools.mutants`).", ""]
    lines += [f"{len(trials)} of {n_mutants} mutants were tried (sample {seed}).", ""]
    lines += ["| folder | tried | caught | never ended | survived |", "|---|--:|--:|--:|--:|"]
    counts = Counter((trial.path.parent.name, trial.outcome) for trial in trials)
    for folder in sorted({name for name, _ in counts}):
        row = [counts[folder, outcome] for outcome in (CAUGHT, ENDLESS, SURVIVED)]
        lines.append(f"| {folder} | {sum(row)} | {' | '.join(map(str, row))} |")
    survivors = [f"- `{trial}`" for trial in trials if trial.outcome == SURVIVED]
    lines += ["", "Survivors:", "", *(survivors or ["none"])]
    if untested:
        lines += ["", "Modules without a mirror test:", "", *(f"- `{path.as_posix()}`" for path in untested)]
    return "\n".join(lines) + "\n"


def _in_child(path: Path, mutation: Mutation | None) -> int:
    import pytest

    os.setpgid(0, 0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    if mutation is not None:
        sys.meta_path.insert(0, _Faulty(path, mutation))
    return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", str(mirror(path))]))


class _Faulty(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module with a fault in it."""

    def __init__(self, path: Path, mutation: Mutation) -> None:
        self._path = path
        self._name = ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")
        self._tree = mutated(path.read_text(encoding="utf-8"), mutation)

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != self._name:
            return None
        return importlib.util.spec_from_file_location(name, self._path.resolve(), loader=self)

    def exec_module(self, module: Any) -> None:
        exec(compile(self._tree, str(self._path.resolve()), "exec"), vars(module))


if __name__ == "__main__":
    sys.exit(main())
