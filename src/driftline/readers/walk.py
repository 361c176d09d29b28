"""The files under a folder, in a fixed order; a link that leads out of the folder is not followed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

OUTSIDE = "outside the folder: a link, which is not followed"


def files_under(folder: Path) -> Iterator[Path]:
    """Yield all files under a folder, sorted by path, without hidden ones.

    A link to a folder and a folder that cannot be listed are themselves yielded, so that the caller can report them.
    """
    unlisted: list[Path] = []
    for here, folders, files in os.walk(folder, onerror=lambda error: unlisted.append(Path(error.filename))):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        linked = [name for name in folders if Path(here, name).is_symlink()]
        for name in sorted([*files, *linked]):
            if not name.startswith("."):
                yield Path(here, name)
    yield from sorted(unlisted)


def inside(path: Path, folder: Path) -> bool:
    """Return whether a file or folder is in the folder once links are resolved."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a link to itself
        return False


def shown_name(path: Path, root: Path | None = None) -> str:
    r"""Return the name of a file, or its path from `root`; bytes that are not UTF-8 are written as escapes.

    >>> shown_name(Path("news/caf\udce9.txt"), Path("news"))
    'caf\\xe9.txt'
    """
    if root is None:
        name = path.name
    else:
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def leads_outside(path: Path, folder: Path) -> bool:
    """Return whether a path that was found in a folder is a link to a folder, or to a file that is not in it."""
    return path.is_symlink() and (path.is_dir() or not inside(path, folder))
