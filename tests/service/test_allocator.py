"""Memory returns to the system: large arrays when they are freed, gaps of smaller ones every minute."""

import platform
import subprocess
import sys
import threading

import pytest

from driftline.service.views.read_connections import Readers
from tests.service.running import served, wait_for

SCRIPT = """
import threading
import numpy as np
from driftline.service.allocator import keep_memory_level
from driftline.service.views.health import memory

assert keep_memory_level()
before = memory()

def work():
    kept = []
    for size in range(8, 40, 4):  # growing arrays, each kept while the next one is made
        kept = [np.ones(size * 2**17), kept[:1] and kept[0][:10].copy()]

for _ in range(3):
    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print((memory() - before) / 2**20)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the options are those of glibc")
def test_freed_arrays_leave_nothing_behind():
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert float(found.stdout) < 8


def test_freed_memory_is_returned_again_and_again(tmp_path, monkeypatch):
    times, caches = [], []
    monkeypatch.setattr("driftline.service.service.RELEASE_EVERY", 0.01)
    monkeypatch.setattr(Readers, "release_memory", lambda self: caches.append(len(times)))
    monkeypatch.setattr("driftline.service.service.release_memory", lambda: times.append(threading.current_thread()))
    with served(tmp_path / "store"):
        assert wait_for(lambda: len(times) > 2)
    assert caches[:3] == [0, 1, 2]  # before the memory is returned to the system
    assert threading.main_thread() not in times  # requests and events do not wait for it
