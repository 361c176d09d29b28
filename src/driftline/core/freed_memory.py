"""Return of freed memory to the system.

The C library keeps freed memory: after tens of thousands of arrays of a few megabytes, which reading and counting
millions of documents in batches allocates, as much memory may be idle as in use.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable

import pyarrow as pa


def release_memory() -> None:
    """Return freed memory to the system if the C library (glibc) can; call this between stages of long computations."""
    pa.default_memory_pool().release_unused()
    _trim()(0)


@functools.cache
def _trim() -> Callable[[int], int]:
    """Return the C library's function, or one that does nothing."""
    try:
        found = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # TypeError: Windows has no library without a name
        return lambda keep: 0
    found.argtypes, found.restype = [ctypes.c_size_t], ctypes.c_int
    return found
