"""The files under a folder, in a fixed order; a link that leads out of the folder is not followed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

OUTSIDE = "outside the folder: a link leads there, and is not followed"


def files_under(folder: Path) -> Iterator[Path]:
    """Yield all files under a folder, sorted by path, but nothing hidden.

    A link to a folder is yielded itself, so that whoever reads the files can report that it was not followed.
    """
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        linked = [name for name in folders if Path(here, name).is_symlink()]
        for name in sorted([*files, *linked]):
            if not name.startswith("."):
                yield Path(here, name)


def inside(path: Path, folder: Path) -> bool:
    """Say whether a file or folder really is in the folder, links resolved."""
    return path.resolve().is_relative_to(folder.resolve())


def leads_outside(path: Path, folder: Path) -> bool:
    """Say whether a path that was found in a folder is a link to a folder, or to a file that is not in it."""
    return path.is_symlink() and (path.is_dir() or not inside(path, folder))
