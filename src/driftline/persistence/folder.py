"""A folder that appears whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path


@contextlib.contextmanager
def written_whole(target: Path, replaceable: Callable[[Path], None]) -> Iterator[Path]:
    """Give a temporary folder to write into; when the block ends well it becomes `target`.

    If something is already there, `replaceable` is asked first and raises if it must stay. When the block fails, what
    was there stays as it was.
    """
    if os.path.lexists(target):
        replaceable(target)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.partial")
    temporary.mkdir(parents=True)
    try:
        yield temporary
        for file in temporary.iterdir():
            # Some libraries make files that only their owner may read; a model is as readable as its folder.
            file.chmod(temporary.stat().st_mode & 0o666)
            _flush(file)
        _swap(temporary, target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _swap(new: Path, target: Path) -> None:
    if not os.path.lexists(target):
        new.rename(target)
        return
    old = new.with_suffix(".old")
    target.rename(old)
    try:
        new.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _flush(file: Path) -> None:
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())
