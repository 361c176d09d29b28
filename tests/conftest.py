"""Shared by all tests: where the real data is, and what to do when it is not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("DRIFTLINE_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture
def real_data():
    """Return a function that gives the path of a real data set, or skips the test and says why."""

    def path(name: str) -> Path:
        file = DATA / f"{name}.parquet"
        if not file.exists():
            pytest.skip(f"{file} is not there; set DRIFTLINE_DATA to the folder with the real data sets")
        return file

    return path
