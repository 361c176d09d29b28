"""One target for some seconds, in a process of its own: what crashes or hangs takes only this process with it."""

from __future__ import annotations

import faulthandler
import json
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.cases import encode
from tests.fuzz.targets import Target, target_called

LONGEST_CASE, LONGEST_WAIT = 120, 1200
"""CPU seconds, and seconds by the clock, after which a case is taken for one that never ends."""
PHASES = (Phase.generate, Phase.target, Phase.shrink)


def explore(target: Target, n_cases: int, number: int, before: Any = None) -> tuple[int, Any, str]:
    """Run up to a given number of cases; return how many ran, the smallest that failed (or None), and how it failed."""
    count = 0
    failed: list[Any] = []
    reasons: list[str] = []

    @seed(number)
    @settings(
        max_examples=n_cases,
        deadline=None,
        database=None,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=PHASES,
    )
    @given(target.cases)
    def one(case: Any) -> None:
        nonlocal count
        count += 1
        if before is not None:
            before(case)
        try:
            target.run(case)
        except Exception:
            failed.append(case)
            reasons.append(traceback.format_exc())
            raise

    try:
        one()
    except Exception:
        if not failed:
            raise
        return count, failed[-1], reasons[-1]
    return count, None, ""


def main() -> None:
    """Arguments: target, seconds, seed, a file for the case at hand. Prints one JSON object."""
    name, seconds, number, at_hand = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    target = target_called(name)
    end = time.monotonic() + seconds
    faulthandler.enable()

    def before(case: Any) -> None:
        at_hand.write_text(encode(name, case), encoding="utf-8")
        # The signal ends the process, even in the middle of compiled code; a busy machine does not count.
        signal.setitimer(signal.ITIMER_PROF, LONGEST_CASE)
        faulthandler.dump_traceback_later(LONGEST_WAIT, exit=True)

    total = 0
    while time.monotonic() < end:
        count, case, reason = explore(target, 10 if target.slow else 100, number, before)
        total, number = total + count, number + 1
        if case is not None:
            print(json.dumps({"cases": total, "failed": encode(name, case), "reason": reason}))
            return
    print(json.dumps({"cases": total, "failed": None, "reason": ""}))


if __name__ == "__main__":
    main()
