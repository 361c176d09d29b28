"""The folder in which a command keeps its state: one process at a time may have it."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from driftline.core.errors import InvalidInput


def locked(folder: Path, command: str) -> TextIO:
    """Take the folder for this process alone, until the returned file is closed or the process ends in any way."""
    file = open(folder / "lock", "w")  # noqa: SIM115 (the caller closes it)
    try:
        import fcntl
    except ImportError:  # there is no such lock on this system
        return file
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise InvalidInput(
            f"another `driftline {command}` is using {folder}; stop it, or name another --state"
        ) from None
    return file
