"""Every case of `tests.compute.gpu.cases` in Numba's simulator, which needs neither a device nor a driver."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.compute.gpu.cases import CASES

ROOT = Path(__file__).parents[3]
KERNELS = [name for name in CASES if name.endswith("that_of_the_processor")]
ESTIMATORS = [name for name in CASES if name not in KERNELS]


@functools.cache
def outcomes(*names):
    """Return what went wrong in each case: one process for all, since the simulator is chosen for a whole process."""
    paths = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-m", "tests.compute.gpu.cases", *names]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("case", KERNELS)
def test_kernels(case):
    assert outcomes(*KERNELS)[case] == ""


@pytest.mark.slow
@pytest.mark.parametrize("case", ESTIMATORS)
def test_estimators(case):
    assert outcomes(*ESTIMATORS)[case] == ""
