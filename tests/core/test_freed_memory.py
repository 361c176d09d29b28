"""Freed memory goes back to the system."""

from __future__ import annotations

import ctypes
import sys

import numpy as np
import pytest

from driftline.core import freed_memory
from driftline.core.freed_memory import release_memory

PAGE = 4096


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * PAGE


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_freed_memory_is_given_back():
    if not hasattr(ctypes.CDLL(None), "malloc_trim"):
        pytest.skip("the C library cannot give memory back")
    # Arrays too small for a separate mapping, and one after them that keeps the end of the heap in use
    many = [np.ones(10_000) for _ in range(2_000)]
    last = np.ones(10_000)
    before = resident()
    del many
    release_memory()
    assert resident() < before - 100_000_000
    assert last.sum() == 10_000


def test_without_such_a_function_nothing_happens(monkeypatch):
    def missing(name):
        raise OSError("no such library")

    freed_memory._trim.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", missing)
    release_memory()
    freed_memory._trim.cache_clear()
