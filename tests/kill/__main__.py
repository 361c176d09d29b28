"""``python -m tests.kill``: kill everything that keeps state, and print a table of what happened."""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from pathlib import Path

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
    parser.add_argument("--kills", type=int, default=1000, help="kills of save, of watch and of label")
    parser.add_argument("--only", choices=["save", "watch", "label"], help="kill only this one")
    parser.add_argument("--quick", action="store_true", help="a few calls of the first scenario of each, for the tests")
    parser.add_argument("--break", dest="broken", choices=["swap"], help="break driftline first: faults must be found")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="write the table there as well")
    options = parser.parse_args()
    if SHIM not in os.environ:
        return with_shim(sys.argv[1:])
    warnings.simplefilter("ignore")
    from tests.kill.scenarios import SCENARIOS, break_swap

    if options.broken == "swap":
        break_swap()

    rng = np.random.default_rng(options.seed)
    started = time.monotonic()
    rows, faults = [], []
    for kind, scenarios in SCENARIOS.items():
        if options.only in (None, kind):
            chosen = scenarios[:1] if options.quick else scenarios
            for scenario in chosen:
                kills = -(-options.kills // len(chosen))
                tally = run_scenario(scenario, kills, rng, every_call=not options.quick)
                rows.append((scenario.name, tally))
                faults += [f"{scenario.name}, killed {fault}" for fault in tally.faults]
                print(_row(scenario.name, tally), flush=True)
    table = "\n".join([*_head(), *(_row(*row) for row in rows), "", _summary(rows, time.monotonic() - started)])
    print(table)
    print(*faults, sep="\n")
    if options.output is not None:
        options.output.write_text(table + "\n")
    return 1 if faults else 0


def _head() -> list[str]:
    return [*INTRODUCTION.splitlines(), "", f"| {' | '.join(HEADINGS)} |", "|" + "---|" * len(HEADINGS)]


def _row(name: str, tally: Tally) -> str:
    kills = " | ".join(f"{tally.kills[kind]:,}" for kind in KINDS)
    return f"| {name} | {tally.n_calls} | {kills} | {len(tally.faults)} |"


def _summary(rows: list[tuple[str, Tally]], seconds: float) -> str:
    total = sum(tally.kills.total() for _, tally in rows)
    left = sum(tally.leftovers for _, tally in rows)
    return (
        f"{total:,} kills in {seconds:,.0f} s; {sum(len(tally.faults) for _, tally in rows)} faults. "
        f"{left:,} trials left a draft behind, which the next run removed."
    )


if __name__ == "__main__":
    sys.exit(main())
