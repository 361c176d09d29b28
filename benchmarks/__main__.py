"""`make bench`: run the quick benchmarks; `python -m benchmarks NAME …` runs the named ones."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks

QUICK = ("counts", "curves")
NOT_BENCHMARKS = ("__main__", "measure")


def main(names: list[str]) -> None:
    known = sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    known = [name for name in known if name not in NOT_BENCHMARKS]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"no benchmark is called {unknown[0]!r}; there are {', '.join(known)}")
    for name in names or QUICK:
        importlib.import_module(f"benchmarks.{name}").main()
    if not names:
        print(f"\nMore, each with `python -m benchmarks NAME`: {', '.join(known)}")


if __name__ == "__main__":
    main(sys.argv[1:])
