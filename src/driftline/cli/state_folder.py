"""The folder in which a command keeps its state, or a saved model that it changes: one process at a time."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TextIO

from driftline.core.errors import InvalidInput


def locked(folder: Path, command: str) -> TextIO:
    """Lock the folder for this process, until the returned file is closed or the process ends.

    The lock is an empty file. A link in its place is refused, so that no file outside the folder is opened.
    """
    return _locked_file(
        folder / "lock",
        taken=f"another `driftline {command}` is using {folder}; stop it, or name another --state",
        unusable="remove it, or name another --state",
    )


def locked_model(model: Path, command: str) -> TextIO:
    """Lock a saved model in the same way, with a file beside it, because saving replaces the folder of the model."""
    return _locked_file(
        model.resolve().with_name(f".{model.resolve().name}.lock"),
        taken=f"another `driftline {command}` is changing {model}; repeat the command when it has ended",
        unusable="remove it",
    )


def _locked_file(path: Path, *, taken: str, unusable: str) -> TextIO:
    from driftline.persistence.locks import take_lock

    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError as error:
        if path.is_symlink() or path.is_dir():
            raise InvalidInput(f"{path} is not a regular file; {unusable}") from error
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InvalidInput(f"{path} is not a regular file; {unusable}")
    if take_lock(descriptor) is False:
        os.close(descriptor)
        raise InvalidInput(taken)
    return os.fdopen(descriptor, "r+")


def read_state_file(path: Path, most_bytes: int = 2**20) -> bytes | None:
    """Return the first bytes of a file that a command keeps in its state, None if there is none.

    A link, a pipe, a socket or a device in its place is refused without waiting for it.
    """
    from driftline.readers.regular_files import NotRegular, open_regular

    try:
        if path.is_symlink():
            raise NotRegular
        with open_regular(path) as file:
            return file.read(most_bytes)
    except FileNotFoundError:
        return None
    except (NotRegular, IsADirectoryError) as error:
        raise InvalidInput(f"{path} is not a regular file; remove it, or name another --state") from error


def write_state_file(path: Path, content: bytes) -> None:
    """Replace a file of the state in one step: a crash leaves the old one or the new one. A link is not followed."""
    from driftline.persistence.atomic_file import replaced_file

    with replaced_file(path, follow=False) as file:
        file.write(content)
