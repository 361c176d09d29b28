"""``python -m tests.kill``: kill everything that keeps state, and print a table of what happened."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from tests.kill.harness import SHIM, Tally, run_scenario, with_shim

KINDS = ("at each call", "in a row", "at random times")
HEADINGS = ("scenario", "calls that change a file", *(f"killed {kind}" for kind in KINDS), "faults")


INTRODUCTION = """\
# Kill tests

Printed by `make kill-tests` (`python -m tests.kill`). The process is killed at every call that changes a file (open to
create, write, rename, exchange, unlink, mkdir, fsync, truncate, chmod), once before it and once after it, writes in the
middle. Then it is killed up to six times in a row, at random calls and at random times: each run after the first is to
repair what the one before it left. After that the command is run once more and compared with a run that was never
killed: the same bytes, nothing lost, nothing doubled, nothing left behind."""


def main() -> int:
    """Kill, print, and return 1 if anything was lost or doubled."""
    parser = argparse.ArgumentParser(prog="python -m tests.kill", description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="kills of each: save, watch, label, stories and index")
    parser.add_argument("--only", choices=["save", "watch", "label", "stories", "index"], help="kill only this one")
    parser.add_argument("--quick", action="store_true", help="a few calls of the first scenario of each, for the tests")
    parser.add_argument(
        "--break", dest="broken", choices=["swap", "list"], help="break driftline first: faults must be found"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="write the table there as well")
    parser.add_argument(
        "--progress", type=Path, help="keep finished scenarios there; a run that was stopped goes on with the next"
    )
    options = parser.parse_args()
    if SHIM not in os.environ:
        return with_shim(sys.argv[1:])
    warnings.simplefilter("ignore")
    from tests.kill.scenarios import SCENARIOS, break_list, break_swap

    if options.broken == "swap":
        break_swap()
    if options.broken == "list":
        break_list()

    progress = _Progress(options.progress, [options.seed, options.kills, options.quick])
    rows, faults = [], []
    for kind, scenarios in SCENARIOS.items():
        if options.only in (None, kind):
            chosen = scenarios[:1] if options.quick else scenarios
            for number, scenario in enumerate(chosen):
                tally = progress.finished(scenario.name)
                if tally is None:
                    started = time.monotonic()
                    # A seed for each scenario, so that a run in parts kills where a whole one does
                    rng = np.random.default_rng([options.seed, sorted(SCENARIOS).index(kind), number])
                    tally = run_scenario(scenario, -(-options.kills // len(chosen)), rng, every_call=not options.quick)
                    tally.seconds = time.monotonic() - started
                    progress.keep(scenario.name, tally)
                rows.append((kind, scenario.name, tally))
                faults += [f"{scenario.name}, killed {fault}" for fault in tally.faults]
                print(_row(scenario.name, tally), flush=True)
    table = "\n".join([*_head(), *(_row(name, tally) for _, name, tally in rows), "", _summary(rows)])
    print(table)
    print(*faults, sep="\n")
    if options.output is not None:
        options.output.write_text(table + "\n")
    return 1 if faults else 0


class _Progress:
    """The tallies of the scenarios that are finished, on disk if a file is given."""

    def __init__(self, path: Path | None, how: list[Any]) -> None:
        self.path, self.how = path, how
        self.tallies: dict[str, Any] = {}
        if path is not None and path.exists():
            found = json.loads(path.read_text(encoding="utf-8"))
            if found["how"] != how:
                raise SystemExit(f"{path} is the progress of another run; remove it, or name another")
            self.tallies = found["tallies"]

    def finished(self, name: str) -> Tally | None:
        found = self.tallies.get(name)
        return None if found is None else Tally(**{**found, "kills": Counter(found["kills"])})

    def keep(self, name: str, tally: Tally) -> None:
        self.tallies[name] = {**vars(tally), "kills": dict(tally.kills)}
        if self.path is not None:
            self.path.write_text(json.dumps({"how": self.how, "tallies": self.tallies}), encoding="utf-8")


def _head() -> list[str]:
    return [*INTRODUCTION.splitlines(), "", f"| {' | '.join(HEADINGS)} |", "|" + "---|" * len(HEADINGS)]


def _row(name: str, tally: Tally) -> str:
    kills = " | ".join(f"{tally.kills[kind]:,}" for kind in KINDS)
    return f"| {name} | {tally.n_calls} | {kills} | {len(tally.faults)} |"


def _summary(rows: list[tuple[str, str, Tally]]) -> str:
    totals: Counter[str] = Counter()
    for kind, _, tally in rows:
        totals[kind] += tally.kills.total()
    kills = ", ".join(f"{kind} {total:,}" for kind, total in totals.items())
    seconds = sum(tally.seconds for _, _, tally in rows)
    n_faults, left = (sum(part) for part in zip(*((len(tally.faults), tally.leftovers) for _, _, tally in rows)))
    return (
        f"{totals.total():,} kills ({kills}) in {seconds:,.0f} s; {n_faults} faults. "
        f"{left:,} trials left a draft behind, which the next run removed."
    )


if __name__ == "__main__":
    sys.exit(main())
