"""Fuzz every target in turn until the minutes are over; keep what fails; say what was tried, as a table."""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.cases import decode, keep
from tests.fuzz.targets import all_targets, guidable

DONE = re.compile(r"Done (\d+) runs in \d+ second")
"""Line in which atheris reports the number of cases."""
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
    parser.add_argument(
        "--guided", action="store_true", help="let atheris mutate the cases of readers, guided by coverage"
    )
    arguments = parser.parse_args()
    if arguments.guided and importlib.util.find_spec("atheris") is None:
        parser.error("atheris is not installed; it comes with pip install 'driftline[fuzz]'")
    chosen = [target.name for target in guidable()] if arguments.guided else all_targets()
    names = arguments.target or sorted(chosen)
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
            n_cases, failure = one_round(name, share, number, guided=arguments.guided)
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


def one_round(name: str, seconds: float, number: int, *, guided: bool = False) -> tuple[int, str | None]:
    """Run a target in a process of its own; return how many cases it ran, and what failed."""
    with tempfile.TemporaryDirectory() as folder:
        at_hand = Path(folder, "case.json")
        module = f"tests.fuzz.{'guided' if guided else 'worker'}"
        command = [sys.executable, "-m", module, name, str(seconds), str(number), str(at_hand)]
        ran = subprocess.run(command, capture_output=True, text=True, errors="replace")
        done = DONE.search(ran.stderr)
        if guided and ran.returncode == 0 and done is not None:
            return int(done[1]), None
        if ran.returncode == 0 and not guided:
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
