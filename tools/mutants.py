"""Put small faults into modules, one at a time, and see whether the tests of the module notice.

    python -m tools.mutants --sample 400 --output mutants.md src/driftline/persistence
    python -m tools.mutants --again mutants.md    # the survivors once more, after tests were added

The tests are those of the mirror file (`src/driftline/a/b.py` → `tests/a/test_b.py`), without those marked slow, up to
the first that fails. Mutants that make no difference are listed in tools/equivalent_mutants.txt, each with the reason,
and are not tried.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tools.equivalent_mutants import LIST, Equivalent, parsed, split
from tools.mutant_trials import CAUGHT, ENDLESS, SOURCES, SURVIVED, UNTRIED, Trial, mirror, tried
from tools.mutations import Mutation, mutations

DEFAULT_PATHS = ("inference", "smoothing", "persistence", "local/changed_words")
"""Folders and files of driftline that are mutated unless others are named."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Try a sample of mutants, and print or write what survived; return 1 if any did."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="folders and files under src/; default: the core ones")
    parser.add_argument("--sample", type=int, default=400, help="number of mutants to try (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="which sample (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=60.0, help="time after which no more are tried")
    parser.add_argument("--again", type=Path, help="try the survivors that this file lists instead of a sample")
    parser.add_argument("--output", type=Path, help="write the table to this file as well")
    given = parser.parse_args(arguments)
    paths = given.paths or [SOURCES / "driftline" / path for path in DEFAULT_PATHS]
    everything, untested = gathered(paths)
    entries = [entry for entry in parsed(LIST.read_text(encoding="utf-8")) if Path(entry.path) in dict(everything)]
    candidates, outdated = split(everything, entries)
    if given.again:
        chosen = listed(given.again.read_text(encoding="utf-8"), candidates)
    else:
        chosen = random.Random(given.seed).sample(candidates, min(given.sample, len(candidates)))
    trials = []
    for trial in tried(chosen, 60 * given.minutes):
        trials.append(trial)
        print(f"{len(trials):4d}  {trial.outcome:11}  {trial}", file=sys.stderr, flush=True)
    table = report(trials, len(candidates), entries, outdated, untested, given.seed)
    print(table)
    if given.output:
        given.output.write_text(table, encoding="utf-8")
    return int(any(trial.outcome == SURVIVED for trial in trials))


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


def report(
    trials: Sequence[Trial],
    n_mutants: int,
    equivalent: Sequence[Equivalent],
    outdated: Sequence[Equivalent],
    untested: Sequence[Path],
    seed: int,
) -> str:
    """Return the table of outcomes by folder, and the list of survivors, as Markdown."""
    failing = sorted({trial.path for trial in trials if trial.outcome == UNTRIED})
    trials = [trial for trial in trials if trial.outcome != UNTRIED]
    lines = ["# Mutants", "", "Written by `make mutants` (`python -m tools.mutants`).", ""]
    lines += [f"{len(trials)} of {n_mutants} mutants were tried (sample {seed})."]
    lines += [f"{len(equivalent)} others make no difference; `tools/{LIST.name}` gives the reason for each.", ""]
    lines += ["| folder | tried | caught | never ended | survived |", "|---|--:|--:|--:|--:|"]
    counts = Counter((trial.path.parent.name, trial.outcome) for trial in trials)
    for folder in sorted({name for name, _ in counts}):
        row = [counts[folder, outcome] for outcome in (CAUGHT, ENDLESS, SURVIVED)]
        lines.append(f"| {folder} | {sum(row)} | {' | '.join(map(str, row))} |")
    survivors = [f"- `{trial}`" for trial in trials if trial.outcome == SURVIVED]
    lines += ["", "Survivors:", "", *(survivors or ["none"])]
    if outdated:
        lines += ["", "Entries of the list that fit no mutant any more:", ""]
        lines += [f"- `{entry.path}: {entry.change}` in `{entry.code}`" for entry in outdated]
    if failing:
        lines += ["", "Not tried, because the tests fail without any fault in the process that tries mutants:", ""]
        lines += [f"- `{path.as_posix()}`" for path in failing]
    if untested:
        lines += ["", "Modules without a mirror test:", "", *(f"- `{path.as_posix()}`" for path in untested)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
