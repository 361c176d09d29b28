"""Safe opening of files with untrusted names: regular files only, and without blocking.

Opening a named pipe in a folder would block until another process writes to it, and a device may never end. A pipe that
the caller names as the source itself (``driftline read <(…)``) is different: it is read once, like standard input.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from driftline.readers.records import UnreadableFile

_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)


class NotRegular(UnreadableFile):
    """The file is a pipe, a socket or a device; the message is the reason for the rejection."""


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; raise `NotRegular` for a pipe, a socket or a device, without blocking."""
    _check(path, os.stat(path).st_mode)  # check before opening, because opening may affect a device
    descriptor = os.open(path, os.O_RDONLY | _WITHOUT_WAITING | getattr(os, "O_BINARY", 0))
    try:
        _check(path, os.fstat(descriptor).st_mode)  # check again: the file may have been replaced
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def is_pipe(path: str) -> bool:
    """Return whether a path names a pipe, a terminal or ``/dev/null``: sources that are read once."""
    try:
        status = os.stat(path)
        if stat.S_ISFIFO(status.st_mode):
            return True
        return stat.S_ISCHR(status.st_mode) and (os.path.realpath(path) == os.devnull or _is_terminal(path))
    except OSError:
        return False


def _check(path: Path, mode: int) -> None:
    if (kind := _KINDS.get(stat.S_IFMT(mode))) is not None:
        raise NotRegular(f"not a regular file: {path.name} is {kind}")


def _is_terminal(path: str) -> bool:
    descriptor = os.open(path, os.O_RDONLY | _WITHOUT_WAITING)
    try:
        return os.isatty(descriptor)
    finally:
        os.close(descriptor)
