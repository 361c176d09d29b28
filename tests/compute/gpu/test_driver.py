from __future__ import annotations

import importlib
import importlib.util
import warnings

import numpy as np
import pytest

from driftline.compute.gpu import driver
from driftline.core.errors import DeviceUnavailable, MissingDependency
from driftline.engines.choose import LARGE, choose_engine
from driftline.topics import LDA


@pytest.fixture(autouse=True)
def fresh():
    driver.cuda_module.cache_clear()
    yield
    driver.cuda_module.cache_clear()


@pytest.fixture
def installed(monkeypatch):
    """Let numba-cuda look installed."""
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: object() if name == "numba_cuda" else real(name, *more)
    )


@pytest.fixture
def not_installed(monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "numba_cuda" else real(name, *more)
    )


@pytest.fixture
def cuda():
    """Return `numba.cuda`, which may warn when it is imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("numba.cuda")


class Devices(list):
    pass


def test_the_package_may_be_missing(not_installed):
    with pytest.raises(MissingDependency, match=r"numba-cuda; install it with: pip install 'driftline\[gpu\]'"):
        driver.check()


def test_versions_that_do_not_work_together(monkeypatch, installed):
    monkeypatch.delattr(np, "row_stack", raising=False)
    with pytest.raises(DeviceUnavailable, match=r"does not work with NumPy .* pip install 'driftline\[gpu\]'"):
        driver.check()


def test_there_may_be_no_driver(monkeypatch, installed, cuda):
    monkeypatch.setattr(np, "row_stack", np.vstack, raising=False)

    class Broken:
        def __len__(self):
            raise RuntimeError("libcuda.so\n cannot be found")

    monkeypatch.setattr(cuda, "gpus", Broken())
    with pytest.raises(
        DeviceUnavailable, match=r"no working NVIDIA driver .*\(libcuda.so cannot be found\); use engine"
    ):
        driver.check()


def test_there_may_be_no_device(monkeypatch, installed, cuda):
    monkeypatch.setattr(np, "row_stack", np.vstack, raising=False)
    monkeypatch.setattr(cuda, "gpus", Devices())
    with pytest.raises(DeviceUnavailable, match="a driver but no NVIDIA graphics processor"):
        driver.check()


def test_an_estimator_says_so_before_any_work(not_installed):
    with pytest.raises(MissingDependency, match="engine='gpu'"):
        LDA(2, engine="gpu").fit(np.eye(4))


def test_auto_runs_anywhere(not_installed):
    chosen = choose_engine("auto", LARGE)
    assert chosen.name == "threads"
    assert "numba-cuda" in chosen.reason
    assert LDA(2, engine="auto", random_state=0, max_epochs=1).fit(np.eye(4)).n_epochs_ == 1
