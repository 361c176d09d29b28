"""Resolution of the user's paths and patterns in the file system."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from driftline.core.errors import InvalidInput, SourceNotFound
from driftline.readers.addresses import refuse_address


class NamedLink(type(Path())):  # type: ignore[misc]
    """A link to a file that the user named; unlike one that is found in a folder, it is followed wherever it leads."""


def paths_of(source: object) -> list[Path]:
    """Return the files and folders of a path, a pattern, or a list of them."""
    if isinstance(source, str | os.PathLike):
        return _expanded(os.fspath(source))
    if isinstance(source, Iterable) and not isinstance(source, Mapping):
        listed = list(source)
        if listed and all(isinstance(item, str | os.PathLike) for item in listed):
            return [path for item in listed for path in _expanded(os.fspath(item))]
    raise InvalidInput(
        f"driftline.read cannot read {type(source).__name__}; pass a path, a pattern such as 'news/*.jsonl', a list of "
        f"paths, '-' for standard input, an Arrow table, a pandas or polars frame, or a list of dictionaries"
    )


def root_of(paths: Sequence[Path]) -> Path:
    """Return the folder to which names in messages and ids are relative."""
    if len(paths) == 1:
        return paths[0] if paths[0].is_dir() else paths[0].parent
    return Path(os.path.commonpath([path.parent for path in paths]))


def _expanded(pattern: str) -> list[Path]:
    refuse_address(pattern)
    if Path(pattern).exists():
        return [_absolute(pattern)]
    found = sorted(glob.glob(pattern, recursive=True)) if glob.has_magic(pattern) else []
    if not found:
        what = "nothing matches" if glob.has_magic(pattern) else "there is no file or folder"
        raise SourceNotFound(f"{what} {pattern!r} (searched from {Path.cwd()})")
    return [_absolute(path) for path in found]


def _absolute(path: str) -> Path:
    """Return a path that has a name even if it was given as a dot; links are kept."""
    absolute = os.path.abspath(path)
    return NamedLink(absolute) if os.path.islink(absolute) and os.path.isfile(absolute) else Path(absolute)
