"""Memory that was freed, given back to the system.

The C library keeps what it was once given: after tens of thousands of arrays of a few megabytes, which is what reading
and counting millions of documents in batches makes, as much memory may lie idle as is in use.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable

import pyarrow as pa


def release_memory() -> None:
    """Give back what was freed, where the C library can (glibc); call it between the stages of long work."""
    pa.default_memory_pool().release_unused()
    _trim()(0)


@functools.cache
def _trim() -> Callable[[int], int]:
    """Return the C library's function that does it, or one that does nothing."""
    try:
        found = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # TypeError: Windows has no library without a name
        return lambda keep: 0
    found.argtypes, found.restype = [ctypes.c_size_t], ctypes.c_int
    return found
