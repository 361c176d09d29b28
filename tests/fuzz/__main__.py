"""Fuzz every target in turn until the minutes are over; keep what fails; say what was tried, as a table."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.cases import decode, keep
from tests.fuzz.targets import all_targets

ROUND = 20.0
"""Seconds for a target before the next has its turn."""


def main() -> int:
    """Run the targets; return 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="how long, in all (default 5)")
    parser.add_argument(
        "--target", action="append", choices=sorted(all_targets()), help="only this one; may be repeated"
    )
    parser.add_argument("--seed", type=int, default=None, help="where to begin (default: the clock)")
    arguments = parser.parse_args()
    names = arguments.target or sorted(all_targets())
    first = number = int(time.time()) if arguments.seed is None else arguments.seed
    end = time.monotonic() + 60 * arguments.minutes
    share = min(ROUND, 60 * arguments.minutes / len(names))
    cases = dict.fromkeys(names, 0)
    failures: list[str] = []
    while time.monotonic() < end:
        for name in names:
            if time.monotonic() > end:
                break
            number += 1000
            n_cases, failure = one_round(name, share, number)
            cases[name] += n_cases
            if failure is not None:
                failures.append(failure)
        names = [name for name in names if not any(failure.startswith(f"\n{name}:") for failure in failures)]
        if not names:
            break
    print("| target | cases |\n|---|---|")
    print("\n".join(f"| {name} | {n:,} |" for name, n in cases.items()))
    print(f"\n{sum(cases.values()):,} cases, {len(failures)} failures; the first seed was {first}")
    print("\n".join(failures))
    return bool(failures)


def one_round(name: str, seconds: float, number: int) -> tuple[int, str | None]:
    """Run a target in a process of its own; return how many cases it ran, and what failed."""
    with tempfile.TemporaryDirectory() as folder:
        at_hand = Path(folder, "case.json")
        command = [sys.executable, "-m", "tests.fuzz.worker", name, str(seconds), str(number), str(at_hand)]
        ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode == 0:
            found = json.loads(ran.stdout.splitlines()[-1])
            if found["failed"] is None:
                return found["cases"], None
            path = keep(*decode(found["failed"]))
            return found["cases"], f"\n{name}: kept as {path}\n{found['reason']}"
        if not at_hand.exists():
            return 0, f"\n{name}: could not start\n{ran.stderr}"
        path = keep(*decode(at_hand.read_text(encoding="utf-8")))
        return (
            1,
            f"\n{name}: the process ended with {ran.returncode}; kept, not minimised, as {path}\n{ran.stderr[-4000:]}",
        )


if __name__ == "__main__":
    sys.exit(main())
