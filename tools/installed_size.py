"""Print the size on disk of everything that ``pip install driftline`` installs, package by package.

python -m tools.installed_size

Sizes are of the files that each package lists, without compiled bytecode, in this environment. Shared parts that only
large packages have (bundled libraries, tests, type stubs, data) are listed below the table.
"""

from __future__ import annotations

import argparse
import importlib.metadata
from collections import Counter
from pathlib import Path, PurePosixPath

from tools.dependencies import packages

MEGABYTE = 1e6
LARGE = 20 * MEGABYTE


def sizes(name: str) -> Counter[str]:
    """Return the bytes of every folder of a package, two levels deep; scripts and bytecode are not counted."""
    found: Counter[str] = Counter()
    for file in importlib.metadata.distribution(name).files or ():
        place = Path(str(file.locate()))
        if file.suffix != ".pyc" and ".." not in file.parts and place.is_file():
            found["/".join(PurePosixPath(file).parts[:2])] += place.stat().st_size
    return found


def main() -> None:
    """Print the table, the largest package first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--extra", action="append", default=[], help="also count this extra; repeatable")
    extras = set(parser.parse_args().extra)
    counted = {
        package.name: sizes(package.name)
        for package in packages()
        if package.at_runtime or extras & set(package.needed_by)
    }
    total = sum(map(Counter.total, counted.values()))
    print("| package | MB | share |\n|---|---|---|")
    for name, folders in sorted(counted.items(), key=lambda item: -item[1].total()):
        print(f"| {name} | {folders.total() / MEGABYTE:.1f} | {folders.total() / total:.0%} |")
    print(f"| all {len(counted)} | {total / MEGABYTE:.1f} | |")
    print("\n| folder | MB |\n|---|---|")
    folders = Counter({each: size for some in counted.values() for each, size in some.items()})
    for folder, size in folders.most_common():
        if size >= LARGE:
            print(f"| {folder} | {size / MEGABYTE:.1f} |")


if __name__ == "__main__":
    main()
