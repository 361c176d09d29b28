"""Which file a command may write its result to, decided before any work is done for it."""

from __future__ import annotations

from pathlib import Path

from driftline.core.errors import InvalidInput


def check_output(output: Path, source: str | None, option: str = "-o") -> None:
    """Refuse an output whose folder is not there, or that is the source itself."""
    if not output.parent.is_dir():
        raise InvalidInput(f"the folder {output.parent} does not exist; make it, or write elsewhere with {option}")
    if source is not None and is_source(output, source):
        raise InvalidInput(f"{output} is the source itself; name another file with {option}")


def is_source(output: Path, source: str) -> bool:
    """Say whether a file to be written is the one that is read, under whatever name."""
    return source != "-" and output.is_file() and Path(source).is_file() and output.samefile(source)
