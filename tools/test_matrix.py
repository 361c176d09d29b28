"""Run tests on every supported Python, with the lowest and with the newest dependencies that are allowed.

    python -m tools.test_matrix                       the default test suite in every environment
    python -m tools.test_matrix --python 3.11 --dependencies lowest tests/persistence

Environments are made by uv in build/matrix/, and kept there for the next time. The output of pytest goes to a new file
beside the environment for every run, named after the moment at which the run began. A Python that is not on this
machine is skipped, with a notice; uv downloads none. With `--output`, a table of what was run is written: rows that are
not run again stay, and so does the text below the table.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

PYTHONS = ("3.11", "3.12", "3.13")
DEPENDENCIES = {"lowest": "lowest-direct", "newest": "highest"}
"""What uv calls the versions of our direct dependencies; what those depend on is always as new as possible."""
FOLDER = Path("build", "matrix")
EXTRAS = ".[stem,frames,dask,postgresql,test]"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests in every environment; return the number of environments in which they failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", action="append", choices=PYTHONS, help="only this version (may be repeated)")
    parser.add_argument("--dependencies", action="append", choices=DEPENDENCIES, help="only these (may be repeated)")
    parser.add_argument("--workers", type=int, default=1, help="processes that run tests side by side (default: 1)")
    parser.add_argument("--output", type=Path, help="write a table of what was run to this file")
    parser.add_argument("tests", nargs="*", help="what is handed to pytest; default: the default test suite")
    given = parser.parse_args(arguments)
    outcomes: dict[tuple[str, str], str] = {}
    for version, kind in itertools.product(given.python or PYTHONS, given.dependencies or DEPENDENCIES):
        interpreter = find_python(version)
        if interpreter is None:
            outcomes[version, kind] = f"skipped: no Python {version} on this machine"
            continue
        tested, place = commit(), environment(version, kind, interpreter)
        outcome = (
            run_tests(place, given.tests, given.workers) if place else "FAILED: the dependencies cannot be installed"
        )
        outcomes[version, kind] = outcome
        if given.output:
            before = given.output.read_text(encoding="utf-8") if given.output.exists() else ""
            row = (version, kind, " ".join(given.tests) or "default suite", outcome, tested)
            given.output.write_text(table([*rows_of(before), row]) + notes_of(before), encoding="utf-8")
    for (version, kind), outcome in outcomes.items():
        print(f"Python {version}, {kind} dependencies: {outcome}")
    return sum("FAILED" in outcome for outcome in outcomes.values())


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Return what was run in every environment, the last row of the same tests, as Markdown."""
    lines = ["# Test matrix", "", "Written by `python -m tools.test_matrix --output` (`make test-matrix`).", ""]
    lines += ["| Python | dependencies | tests | outcome | commit |", "|---|---|---|---|---|"]
    last = {row[:3]: row for row in rows}
    return "\n".join([*lines, *(f"| {' | '.join(last[place])} |" for place in sorted(last))]) + "\n"


def rows_of(text: str) -> list[tuple[str, ...]]:
    """Return the rows of a table that was written before."""
    cells = (tuple(cell.strip() for cell in line.strip("|").split("|")) for line in text.splitlines())
    return [row for row in cells if len(row) == 5 and row[0] in PYTHONS]


def notes_of(text: str) -> str:
    """Return what was written below the table by hand."""
    lines = text.splitlines(keepends=True)
    behind = [number for number, line in enumerate(lines, 1) if rows_of(line)]
    return "".join(lines[behind[-1] :]) if behind else ""


def commit() -> str:
    """Return the short name of the commit that is tested, and whether files differ from it."""
    asked = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    return subprocess.run(asked, capture_output=True, text=True).stdout.strip() or "unknown"


def find_python(version: str) -> str | None:
    """Return the path of an interpreter of this version, on the PATH or among those of pyenv; None if there is none."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for candidate in (f"python{version}", *map(str, sorted(pyenv.glob(f"{version}.*/bin/python")))):
        # A shim of pyenv is on the PATH also where the version behind it is not enabled, and then fails
        if (path := shutil.which(candidate)) and _version_of(path) == version:
            return path
    return None


def environment(version: str, kind: str, interpreter: str) -> Path | None:
    """Make or renew an environment; return its folder, None if the dependencies cannot be installed."""
    place = FOLDER / f"{version}-{kind}"
    if not (place / "bin" / "python").exists():
        _uv("venv", "--python", interpreter, str(place))
    installed = _uv(
        *("pip", "install", "--quiet", "--python", str(place), "--resolution", DEPENDENCIES[kind]),
        *("--only-binary", ":all:", "--no-binary", "driftline", "--editable", EXTRAS),
    )
    return place if installed.returncode == 0 else None


def run_tests(place: Path, tests: Sequence[str], workers: int = 1) -> str:
    """Run pytest in an environment and return its last line; all of its output is in a new file beside it."""
    command = [
        str(place / "bin" / "python"),
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-n",
        str(workers),
        *tests,
    ]
    # Every version of Numba compiles for itself
    settings = {"PYTHONPATH": ".", "NUMBA_CACHE_DIR": str((place / "compiled").resolve())}
    began = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    descriptor, printed = tempfile.mkstemp(prefix=f"{place.name}-{began}-", suffix=".log", dir=place.parent, text=True)
    with open(descriptor, "w", encoding="utf-8") as output:
        done = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, env=os.environ | settings)
    text = re.sub(r"\x1b\[\d+m", "", Path(printed).read_text(encoding="utf-8", errors="replace")).strip()
    print(text[-4000:], file=sys.stderr)
    last = text.splitlines()[-1] if text else "pytest printed nothing"
    return last if done.returncode == 0 else f"FAILED: {last}"


def _version_of(python: str) -> str:
    code = "import sys; print('{}.{}'.format(*sys.version_info))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True).stdout.strip()


def _uv(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "uv", *arguments])


if __name__ == "__main__":
    sys.exit(main())
