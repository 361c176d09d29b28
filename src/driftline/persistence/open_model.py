"""A saved model with all files open: one consistent model, even if the folder is replaced meanwhile."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from driftline.core.errors import ModelFileError
from driftline.persistence.model_folder import standing_folder

_TRIES = 1000
_PAUSE = 0.001
"""Seconds between two attempts; a folder is missing or replaced only for the duration of a rename."""
_MOST_FILES = 256
_BY_FOLDER = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class OpenFolder:
    """Files of one folder, open for reading; `path` is the name of the folder in messages."""

    def __init__(self, path: Path, place: Path, files: dict[str, BinaryIO]) -> None:
        self.path = path
        self._place = place
        self._files = files

    def __contains__(self, name: str) -> bool:
        return name in self._files

    def size(self, name: str) -> int:
        """Return the number of bytes of a file."""
        return os.fstat(self._files[name].fileno()).st_size

    def file(self, name: str) -> BinaryIO:
        """Return an open file, at its beginning."""
        file = self._files[name]
        file.seek(0)
        return file

    def path_of(self, name: str) -> str:
        """Return a path to the open file, for libraries that need one."""
        number = self._files[name].fileno()
        by_number = next(
            (path for path in (f"/proc/self/fd/{number}", f"/dev/fd/{number}") if os.path.exists(path)), None
        )
        return by_number or str(self._place / name)


@contextlib.contextmanager
def opened_folder(path: Path, wanted: Callable[[str], bool]) -> Iterator[OpenFolder]:
    """Open the requested files of a folder, all of the same version."""
    for _ in range(_TRIES):
        place = standing_folder(path)
        with contextlib.ExitStack() as stack:
            files = _open_all(place, wanted, stack)
            if files is not None:
                yield OpenFolder(path, place, files)
                return
        if not os.path.lexists(path) and standing_folder(path) == path:
            break
        time.sleep(_PAUSE)
    raise ModelFileError(f"there is no model at {path}; check the path")


def _open_all(place: Path, wanted: Callable[[str], bool], stack: contextlib.ExitStack) -> dict[str, BinaryIO] | None:
    """Open the files; None if the folder is missing or was replaced meanwhile."""
    try:
        before = os.stat(place)
        if not stat.S_ISDIR(before.st_mode):
            return {}
        source: int | Path = place
        if _BY_FOLDER:
            source = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, source)
        names = [name for name in os.listdir(source) if wanted(name)][:_MOST_FILES]
        files = {name: stack.enter_context(_open(source, name, place)) for name in names}
        # The folder is open, so no other can have its inode number
        now = os.fstat(source) if isinstance(source, int) else before
        return files if os.path.samestat(os.stat(place), now) else None
    except FileNotFoundError:
        return None


def _open(source: int | Path, name: str, place: Path) -> BinaryIO:
    if isinstance(source, int):
        descriptor = os.open(name, _READ, dir_fd=source)
    else:
        descriptor = os.open(source / name, _READ)
    file = os.fdopen(descriptor, "rb")
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        file.close()
        raise ModelFileError(f"{place / name} is not a regular file; restore the model from a copy")
    return file
