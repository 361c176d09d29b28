"""Make a release: check the version, date the changelog, build wheel and source distribution, try both, and tag.

    python -m tools.release 0.2.0            everything, ending with a commit and a tag
    python -m tools.release 0.2.0 --try-out  the same in a copy; the repository stays as it is

All work is done in a copy of the last commit. Only when both distributions have been installed in bare environments,
and the demonstration has run there, is the commit made and tagged. Nothing is uploaded.
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

from packaging.version import InvalidVersion, Version

UNRELEASED = "## Unreleased"
PYPROJECT, PACKAGE, CITATION, CHANGELOG = "pyproject.toml", "src/driftline/__init__.py", "CITATION.cff", "CHANGELOG.md"
DEMO = ("demo", "--documents", "500", "-o", "demo.html")
"""Command of driftline that is run with each distribution."""
SMOKE = """
from driftline import Corpus, load, simulate_newswire
from driftline.topics import MixtureOfUnigrams

wire = simulate_newswire(500, random_state=0)
corpus = Corpus.from_texts(wire.texts, wire.times, min_df=2)
model = MixtureOfUnigrams(n_topics=3, random_state=0).fit(corpus.counts)
model.save("model")
assert (load("model").predict(corpus.counts) == model.predict(corpus.counts)).all()
"""
"""Program that is run with each distribution: a model is fitted, saved, loaded and used."""


class NotReleasable(Exception):
    """The repository is not in a state from which a release can be made."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make a release of the last commit."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("version", help="the version to release, such as 0.2.0")
    parser.add_argument("--try-out", action="store_true", help="stop before the commit and the tag")
    given = parser.parse_args(arguments)
    root = Path(_output("git", "rev-parse", "--show-toplevel"))
    try:
        check_version(given.version, _output("git", "tag", "--list", "v*").split())
        if not given.try_out and _output("git", "status", "--porcelain"):
            raise NotReleasable("there are changes that are not committed; commit or stash them first")
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, "copy")
            _run("git", "clone", "--quiet", "--no-hardlinks", str(root), str(copy))
            changed = prepare(copy, given.version, datetime.datetime.now(datetime.UTC).date())
            built = build(copy)
            for distribution in built:
                try_out(distribution, Path(folder, distribution.suffix.strip(".")), given.version)
            if given.try_out:
                print(f"{given.version} can be released: {', '.join(file.name for file in built)}")
                return 0
            (root / "dist").mkdir(exist_ok=True)
            for distribution in built:
                (root / "dist" / distribution.name).write_bytes(distribution.read_bytes())
            for name in changed:
                (root / name).write_bytes((copy / name).read_bytes())
        _run("git", "-C", str(root), "commit", "--quiet", "-m", f"Release {given.version}", "--", *changed)
        _run("git", "-C", str(root), "tag", "-a", f"v{given.version}", "-m", f"driftline {given.version}")
    except NotReleasable as error:
        print(f"not released: {error}", file=sys.stderr)
        return 1
    print(f"released {given.version}: the tag is v{given.version}, the distributions are in dist/")
    return 0


def check_version(version: str, tags: Sequence[str]) -> None:
    """Refuse what is not a version, or not a later one than those that are tagged.

    >>> check_version("0.2.0", ["v0.1.0"])
    """
    try:
        wanted = Version(version)
    except InvalidVersion:
        raise NotReleasable(f"{version!r} is not a version; write one such as 0.2.0") from None
    if str(wanted) != version or wanted.local:
        raise NotReleasable(f"write the version as {wanted.public}")
    latest = max((Version(tag.removeprefix("v")) for tag in tags), default=None)
    if latest is not None and wanted <= latest:
        raise NotReleasable(f"{version} is not later than {latest}, which is released")


def prepare(root: Path, version: str, today: datetime.date) -> list[str]:
    """Write the version and the date wherever they belong; return the names of the files."""
    edits = {
        PYPROJECT: lambda text: replaced(text, r'^version = ".*"$', f'version = "{version}"'),
        PACKAGE: lambda text: replaced(text, r'^__version__ = ".*"$', f'__version__ = "{version}"').replace(
            f"'{_version_of(text)}'", f"'{version}'"
        ),
        CITATION: lambda text: replaced(
            text, r"^version: .*(\ndate-released: .*)?$", f"version: {version}\ndate-released: {today}"
        ),
        CHANGELOG: lambda text: dated(text, version, today),
    }
    for name, edit in edits.items():
        path = root / name
        path.write_text(edit(path.read_text(encoding="utf-8")), encoding="utf-8")
    return list(edits)


def dated(changelog: str, version: str, today: datetime.date) -> str:
    """Return the changelog with what is unreleased under the version and the date, and an empty section above it."""
    if changelog.count(f"{UNRELEASED}\n") != 1:
        raise NotReleasable(f"{CHANGELOG} needs one section {UNRELEASED!r}")
    before, _, after = changelog.partition(f"{UNRELEASED}\n")
    if not re.split(r"^## ", after, maxsplit=1, flags=re.MULTILINE)[0].strip():
        raise NotReleasable(f"nothing stands under {UNRELEASED!r} in {CHANGELOG}")
    return f"{before}{UNRELEASED}\n\n## {version} ({today})\n{after}"


def replaced(text: str, pattern: str, line: str) -> str:
    """Return the text with the one line that fits the pattern replaced."""
    new, count = re.subn(pattern, lambda _: line, text, flags=re.MULTILINE)
    if count != 1:
        raise NotReleasable(f"{count} lines fit {pattern!r}, and there should be one")
    return new


def build(root: Path) -> list[Path]:
    """Build the wheel and the source distribution."""
    _run(sys.executable, "-m", "build", "--outdir", str(root / "dist"), str(root))
    built = sorted((root / "dist").iterdir())
    if [file.suffix for file in built] != [".whl", ".gz"] and [file.suffix for file in built] != [".gz", ".whl"]:
        raise NotReleasable(f"a wheel and a source distribution were expected, not {[file.name for file in built]}")
    return built


def try_out(distribution: Path, folder: Path, version: str) -> None:
    """Install a distribution in a bare environment; run the demonstration there, and a model from fit to load."""
    venv.create(folder, with_pip=True)
    commands = folder / ("Scripts" if sys.platform == "win32" else "bin")
    _run(str(commands / "python"), "-m", "pip", "install", "--quiet", str(distribution))
    shown = _output(str(commands / "driftline"), "--version", cwd=folder)
    if version not in shown:
        raise NotReleasable(f"{distribution.name} says that it is {shown!r}")
    _run(str(commands / "driftline"), *DEMO, cwd=folder)
    if "<html" not in (folder / DEMO[-1]).read_text(encoding="utf-8")[:1000]:
        raise NotReleasable(f"the demonstration of {distribution.name} wrote no page")
    _run(str(commands / "python"), "-c", SMOKE, cwd=folder)


def _version_of(package: str) -> str:
    found = re.search(r'^__version__ = "(.*)"$', package, flags=re.MULTILINE)
    return found[1] if found else ""


def _run(*command: str, cwd: Path | None = None) -> None:
    _output(*command, cwd=cwd)


def _output(*command: str, cwd: Path | None = None) -> str:
    # Packages on PYTHONPATH would pass for installed ones, and then nothing would be tried out
    bare = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, cwd=cwd, env=bare, capture_output=True, text=True)
    if done.returncode:
        raise NotReleasable(f"`{' '.join(command)}` failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
