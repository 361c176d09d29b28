"""Drafts: temporary files and folders beside the target that they will replace.

A draft of ``name`` is called ``.name.<16 hex digits>.partial``. Its writer holds a lock on it while it runs, so a draft
without a lock was left by a killed process, and the next writer removes it.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from driftline.persistence.locks import take_lock

PARTIAL = "partial"
_TRIES = 100
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


@contextlib.contextmanager
def draft_folder(target: Path) -> Iterator[Path]:
    """Create a folder beside `target` to write into; if it still exists when the block ends, it is removed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for _ in range(_TRIES):
        draft = _new_name(target)
        draft.mkdir()
        held = _held(draft)
        if held is not None:
            break
    else:
        raise OSError(f"no draft of {target} could be created: another process removes each one")
    try:
        yield draft
    finally:
        remove(draft)
        if held >= 0:
            os.close(held)


@contextlib.contextmanager
def draft_file(target: Path) -> Iterator[tuple[Path, int]]:
    """Create a file beside `target`; yield its path and a descriptor for writing. It is removed if it still exists."""
    for _ in range(_TRIES):
        draft = _new_name(target)
        descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NO_LINKS | getattr(os, "O_BINARY", 0), 0o666)
        if take_lock(descriptor) is not False and _is(draft, descriptor):
            break
        os.close(descriptor)
    else:
        raise OSError(f"no draft of {target} could be created: another process removes each one")
    try:
        yield draft, descriptor
    finally:
        with contextlib.suppress(OSError):
            os.close(descriptor)
        remove(draft)


def sweep(target: Path) -> None:
    """Remove the drafts of `target` left by dead processes.

    Only those of the same user are removed, and none that is a link. If the file system has no locks, an active draft
    cannot be distinguished from an abandoned one, so all are kept.
    """
    for draft in named_like_drafts(target, PARTIAL):
        with _taken(draft) as abandoned:
            if abandoned:
                remove(draft)


def is_being_written(draft: Path) -> bool:
    """Return whether the process that created a draft may still be writing it."""
    with _taken(draft) as abandoned:
        return not abandoned and os.path.lexists(draft)


def named_like_drafts(target: Path, kind: str) -> list[Path]:
    """Return the files and folders named like a draft of `target`, of any owner, except links."""
    pattern = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{16}}\.{kind}")
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        return [Path(entry.path) for entry in entries if pattern.fullmatch(entry.name) and not entry.is_symlink()]
    return []


def remove(path: Path) -> None:
    """Remove a file or a folder as far as possible."""
    with contextlib.suppress(OSError):
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()


def _new_name(target: Path) -> Path:
    return target.with_name(f".{target.name}.{secrets.token_hex(8)}.{PARTIAL}")


@contextlib.contextmanager
def _taken(path: Path) -> Iterator[bool]:
    """Hold the lock of a draft during the block, if its writer is dead; yield whether that succeeded."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _NO_LINKS | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        yield False
        return
    try:
        status = os.fstat(descriptor)
        plain = stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)
        mine = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
        yield plain and mine and take_lock(descriptor) is True and _is(path, descriptor)
    finally:
        os.close(descriptor)


def _held(folder: Path) -> int | None:
    """Lock a new folder: return its descriptor, -1 if folders have no locks, None if it was already removed."""
    if os.name == "nt":  # Windows cannot open folders
        return -1
    try:
        descriptor = os.open(folder, os.O_RDONLY | _NO_LINKS)
    except FileNotFoundError:
        return None
    if take_lock(descriptor) is not False and _is(folder, descriptor):
        return descriptor
    os.close(descriptor)
    return None


def _is(path: Path, descriptor: int) -> bool:
    """Return whether an open file still has this name."""
    try:
        return os.path.samestat(os.lstat(path), os.fstat(descriptor))
    except OSError:
        return False
