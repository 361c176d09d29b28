"""Shared by all tests: where the real data is, and what to do when it is not there."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

# Tests run side by side, one a core: linear algebra that takes threads of its own would only wait for itself. This is
# read when NumPy is first imported, which is later, and by the processes that tests start.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

DATA = Path(os.environ.get("DRIFTLINE_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture
def standard_interrupts():
    """Handle Ctrl-C as Python does, whatever the program that runs the tests does."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def real_data():
    """Return a function that gives the path of a real data set, or skips the test and says why."""

    def path(name: str) -> Path:
        file = DATA / f"{name}.parquet"
        if not file.exists():
            pytest.skip(f"{file} is not there; set DRIFTLINE_DATA to the folder with the real data sets")
        return file

    return path
