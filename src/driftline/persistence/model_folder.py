"""Atomic replacement of a folder, which stays readable meanwhile.

The new folder is written beside the old one, flushed, and then the two are exchanged atomically. Systems that cannot do
that rename the old one first, as ``.name.<16 hex digits>.old``; a process killed between the two renames leaves no
folder of the name, and `standing_folder` finds the old one again.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from driftline.persistence.drafts import (
    PARTIAL,
    draft_folder,
    is_being_written,
    named_like_drafts,
    remove,
    sweep,
)
from driftline.persistence.flushing import explained, flush_file, flush_folder
from driftline.persistence.folder_swap import exchange

OLD = "old"
_TRIES = 100
_TAKEN = (errno.EEXIST, errno.ENOTEMPTY, errno.ENOENT)
"""Error codes of a rename if another process was first."""


@contextlib.contextmanager
def replaced_folder(target: Path, replaceable: Callable[[Path], None]) -> Iterator[Path]:
    """Yield a temporary folder to write into; if the block succeeds, it becomes `target`.

    If `target` exists, `replaceable` is called first and raises if it must be kept. If the block fails, or the process
    is killed, the previous content is unchanged.
    """
    with explained(target):
        standing_folder(target)
        if os.path.lexists(target):
            replaceable(target)
            for old in named_like_drafts(target, OLD):
                if not is_being_written(old.with_suffix(f".{PARTIAL}")):
                    remove(old)
        sweep(target)
        with draft_folder(target) as draft:
            yield draft
            for file in draft.iterdir():
                # Some libraries create files that only their owner can read; a model gets the permissions of its
                # folder.
                file.chmod(draft.stat().st_mode & 0o666)
                flush_file(file)
            flush_folder(draft)
            _swap(draft, target, replaceable)
            flush_folder(target.parent)


def standing_folder(target: Path) -> Path:
    """Return the path of the last complete folder of this name: `target`, or the old one that a killed process renamed.

    The old one gets its name back if the process that renamed it is dead.
    """
    if os.path.lexists(target):
        return target
    found = sorted(named_like_drafts(target, OLD), key=_age)
    if not found:
        return target
    if not is_being_written(found[-1].with_suffix(f".{PARTIAL}")):
        with contextlib.suppress(OSError):
            found[-1].rename(target)
    return target if os.path.lexists(target) else found[-1]


def _age(folder: Path) -> int:
    """Return the time of the last change of a folder; a time long ago if it no longer exists."""
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


def _swap(new: Path, target: Path, replaceable: Callable[[Path], None]) -> None:
    for _ in range(_TRIES):
        try:
            if os.path.lexists(target):
                replaceable(target)
                if not exchange(new, target):
                    _move_away_and_replace(new, target)
            else:
                new.rename(target)
            return
        except OSError as error:
            if error.errno not in _TAKEN:
                raise
    raise OSError(f"{target} is constantly replaced by other processes")


def _move_away_and_replace(new: Path, target: Path) -> None:
    """Replace in two steps; in between, `standing_folder` finds the old folder."""
    old = new.with_suffix(f".{OLD}")
    target.rename(old)
    try:
        new.rename(target)
    except OSError:
        if not os.path.lexists(target):
            old.rename(target)
        raise
    finally:
        if os.path.lexists(target):
            remove(old)
