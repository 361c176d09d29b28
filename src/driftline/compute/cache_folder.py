"""The folder for compiled code: writable by this user, and by no other.

It contains machine code, and Numba reads it by pickle: a user who can write there can run any code here. A folder is
therefore used only if it belongs to this user (or to root, as an installed package may) and no other user may write to
it. The first suitable one is taken of: the folder that ``NUMBA_CACHE_DIR`` names, ``__pycache__`` beside the source,
the user's cache folder, and a private folder among the temporary files. If none is suitable, nothing is cached.
"""

from __future__ import annotations

import functools
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from driftline.core.progress import announce

_NAME = "driftline-compiled"


@functools.lru_cache
def cache_folder(source_folder: str) -> str | None:
    """Return the cache folder for the sources in a folder; None if nothing can be cached.

    The decision is made once per process. The use of a temporary folder, or of none, is announced.
    """
    own = os.path.join(source_folder, "__pycache__")
    for folder in (*_named(source_folder), own, *_of_the_user(source_folder)):
        if _usable(folder):
            return folder
    temporary = os.path.join(tempfile.gettempdir(), f"{_NAME}-{_user()}")
    if _private(temporary) and _usable(kept := os.path.join(temporary, _key(source_folder))):
        announce(f"compiled code is kept in {temporary}, as no other folder is both writable and safe from others")
        return kept
    announce("compiled code cannot be cached, so each run compiles it again; name a private folder in NUMBA_CACHE_DIR")
    return None


def safe(folder: str) -> bool:
    """Return whether a folder belongs to this user or to root, and no other user can write to it."""
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode):
        return False
    if not hasattr(os, "geteuid"):
        return True  # systems without numeric owners separate the folders of users themselves
    if status.st_uid not in (os.geteuid(), 0):
        return False
    if status.st_mode & stat.S_IWGRP and not _own_group(status.st_gid):
        return False
    return not status.st_mode & stat.S_IWOTH


def _named(source_folder: str) -> Iterator[str]:
    from numba import config

    if config.CACHE_DIR:
        yield os.path.join(config.CACHE_DIR, _key(source_folder))


def _of_the_user(source_folder: str) -> Iterator[str]:
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    if not home:
        try:
            home = str(Path.home() / ".cache")
        except (RuntimeError, OSError):  # a user without a home
            return
    if os.path.isabs(home):
        yield os.path.join(home, _NAME, _key(source_folder))


def _usable(folder: str) -> bool:
    """Create the folder if necessary, and return whether it is safe and writable."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not (safe(folder) and _cannot_be_exchanged(folder)):
            return False
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _cannot_be_exchanged(folder: str) -> bool:
    """Return whether no other user can replace the folder through its parent; a sticky parent prevents it."""
    above = os.path.dirname(os.path.realpath(folder))
    return safe(above) or bool(os.stat(above).st_mode & stat.S_ISVTX)


def _private(folder: str) -> bool:
    """Create a private folder, and return whether it is private: another user may have guessed and taken its name."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    except OSError:
        return False
    status = os.lstat(folder)
    mine = not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & 0o077)
    return stat.S_ISDIR(status.st_mode) and mine


def _own_group(group: int) -> bool:
    """Return whether this user is the only member of a group; many systems create such a group for every user."""
    import grp
    import pwd

    try:
        user, name = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return name.gr_gid == user.pw_gid and name.gr_name == user.pw_name and set(name.gr_mem) <= {user.pw_name}


def _key(source_folder: str) -> str:
    """Return a name that differs between installations."""
    return f"{os.path.basename(source_folder)}-{hashlib.sha256(source_folder.encode()).hexdigest()[:16]}"


def _user() -> str:
    return str(os.geteuid()) if hasattr(os, "geteuid") else "user"
