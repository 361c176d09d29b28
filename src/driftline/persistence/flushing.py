"""Flushing to disk: files, and the folders that list them."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from driftline.core.errors import DriftlineError, NotWritten

_CANNOT_FLUSH = (errno.EINVAL, errno.ENOTSUP, errno.EBADF)


def flush_file(path: Path) -> None:
    """Wait until the content of a file is on the disk."""
    with path.open("rb+") as stream:
        os.fsync(stream.fileno())


def flush_folder(path: Path) -> None:
    """Wait until the entries of a folder are on disk, if folders can be flushed."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_FLUSH:
            raise
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def explained(target: Path) -> Iterator[None]:
    """Turn a system error of a failed write into an error of driftline that says what to do."""
    try:
        yield
    except OSError as error:
        if isinstance(error, DriftlineError | BrokenPipeError):
            raise
        raise NotWritten(target, error) from error
