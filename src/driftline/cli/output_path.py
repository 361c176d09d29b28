"""Checks of a command's output file, before any work is done."""

from __future__ import annotations

from pathlib import Path

from driftline.core.errors import InvalidInput


def check_output(output: Path, source: str | None, option: str = "-o") -> None:
    """Refuse an output whose folder does not exist, or that is the source itself."""
    if not output.parent.is_dir():
        raise InvalidInput(f"the folder {output.parent} does not exist; create it, or write elsewhere with {option}")
    if source is not None and is_source(output, source):
        raise InvalidInput(f"{output} is the source itself; name another file with {option}")


def is_source(output: Path, source: str) -> bool:
    """Return whether the output file is the source, under any name."""
    return source != "-" and output.is_file() and Path(source).is_file() and output.samefile(source)
