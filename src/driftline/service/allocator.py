"""The allocator of the C library, set so that the memory of a service that runs for weeks stays level.

By default glibc gives every thread an arena of its own, and keeps what large arrays leave behind in them: each
snapshot and each refit then leaves gaps that no later array fits into. With few arenas, and a fixed size from which on
an array is mapped by itself, the memory of a large array goes back to the system when it is freed.
"""

from __future__ import annotations

import ctypes

TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8
"""Numbers of the options of mallopt(3)."""
LARGE = 4 * 2**20
"""Bytes from which on an array is mapped by itself."""
ARENAS = 2


def keep_memory_level() -> bool:
    """Set the allocator of this process; return whether the C library has these options (glibc has)."""
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    options = ((MMAP_THRESHOLD, LARGE), (TRIM_THRESHOLD, LARGE), (ARENA_MAX, ARENAS))
    answers = [set_option(name, value) for name, value in options]
    return answers == [1] * len(options)
