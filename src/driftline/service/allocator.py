"""Settings of the C library's allocator that keep the memory of a service constant over weeks.

By default glibc uses an arena per thread and keeps freed memory in it: each snapshot and each refit then leaves gaps
that no later array fits into. With few arenas, and a fixed size above which arrays are mapped separately, the memory
of a large array returns to the system when it is freed.
"""

from __future__ import annotations

import ctypes

TRIM_THRESHOLD, MMAP_THRESHOLD, ARENA_MAX = -1, -3, -8
"""Option numbers of mallopt(3)."""
LARGE = 4 * 2**20
"""Minimum size in bytes of an array that is mapped separately."""
ARENAS = 2


def keep_memory_level() -> bool:
    """Set the options of the allocator; return whether the C library has them (glibc has)."""
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return False
    options = ((MMAP_THRESHOLD, LARGE), (TRIM_THRESHOLD, LARGE), (ARENA_MAX, ARENAS))
    answers = [set_option(name, value) for name, value in options]
    return answers == [1] * len(options)
