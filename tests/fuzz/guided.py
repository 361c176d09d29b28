"""One target for some seconds, guided by coverage: atheris mutates the bytes that hypothesis makes a case of.

Code that no case had reached before makes a case worth mutating further. `atheris` is the extra ``fuzz``; the readers
are instrumented, as they are what parses bytes.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings

from tests.fuzz.cases import encode
from tests.fuzz.targets import target_called

PLAIN = ("compute.cpu", "core", "text", "streams", "persistence")
"""Packages imported before instrumentation: compiled loops cannot be instrumented, and the others are uninformative."""
LONGEST_INPUT = 4096
SEEDS = 50
"""Number of random inputs to begin with: a few bytes are too few for hypothesis to make a case of."""
LONGEST_CASE = 120
"""Seconds after which a case is taken for one that never ends."""


def import_all(package: str) -> None:
    """Import every module of a package of driftline."""
    home = importlib.import_module(f"driftline.{package}")
    for module in pkgutil.iter_modules(home.__path__):
        importlib.import_module(f"{home.__name__}.{module.name}")


def main() -> None:
    """Arguments: target, seconds, seed, a file for the case at hand. Does not return: the fuzzer ends the process."""
    import atheris  # an extra; the default suite imports this module without it

    name, seconds, number, at_hand = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    for package in PLAIN:
        import_all(package)
    with atheris.instrument_imports(include=["driftline"]):
        import_all("readers")
    target = target_called(name)

    @settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(target.cases)
    def one(case: Any) -> None:
        at_hand.write_text(encode(name, case), encoding="utf-8")
        target.run(case)

    seeds = at_hand.parent / "seeds"
    seeds.mkdir(exist_ok=True)
    rng = np.random.default_rng(number)
    for i in range(SEEDS):
        (seeds / str(i)).write_bytes(rng.bytes(int(rng.integers(64, LONGEST_INPUT))))
    options = [
        str(seeds),
        "-len_control=0",
        f"-max_total_time={max(1, round(seconds))}",
        f"-seed={number % 2**31 + 1}",
        f"-max_len={LONGEST_INPUT}",
        f"-timeout={LONGEST_CASE}",
        f"-artifact_prefix={at_hand.parent}/",
    ]
    atheris.Setup([sys.argv[0], *options], one.hypothesis.fuzz_one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
