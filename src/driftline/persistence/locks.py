"""A lock on an open file or folder, which the system releases when the process ends, for whatever reason."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import msvcrt

    def take_lock(descriptor: int) -> bool | None:
        """Lock an open file exclusively: False if another process has it, None if this file system has no locks."""
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        except OSError:
            return None
        return True

else:
    import fcntl

    def take_lock(descriptor: int) -> bool | None:
        """Lock an open file exclusively: False if another process has it, None if this file system has no locks."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return None
        return True
