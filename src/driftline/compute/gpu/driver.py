"""Check whether a graphics processor can be used; if not, the error gives the reason in one sentence."""

from __future__ import annotations

import functools
import importlib.util
import warnings
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numba.core import config

from driftline.core.errors import DeviceUnavailable, MissingDependency

ELSEWHERE = "use engine='threads', or engine='auto', which looks for itself"


class Found:
    """The device that was found: its name, and its total and free memory in bytes."""

    def __init__(self, name: str, total: int, free: int) -> None:
        self.name, self.total, self.free = name, total, free


@functools.cache
def cuda_module() -> Any:
    """Return `numba.cuda`, or raise an error that says what is missing."""
    if not is_simulated():
        if importlib.util.find_spec("numba_cuda") is None:
            raise MissingDependency("engine='gpu'", "numba-cuda", "gpu")
        if not hasattr(np, "row_stack"):
            raise DeviceUnavailable(
                f"numba-cuda {_version('numba-cuda')} does not work with NumPy {np.__version__}; install versions that "
                f"do with: pip install 'driftline[gpu]', or {ELSEWHERE}"
            )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from numba import cuda
    except Exception as error:
        raise DeviceUnavailable(
            f"numba-cuda {_version('numba-cuda')} cannot be imported ({_sentence(error)}); install versions that work "
            f"together with: pip install 'driftline[gpu]', or {ELSEWHERE}"
        ) from error
    if hasattr(cuda, "config"):
        cuda.config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # warnings about small arrays are of no use to users
    return cuda


def check() -> Found:
    """Return the device that work will run on; raise an error if there is none, before anything is done."""
    cuda = cuda_module()
    if is_simulated():
        return Found("Numba's simulator", 2**34, 2**34)
    try:
        n_devices = len(cuda.gpus)
    except Exception as error:
        raise DeviceUnavailable(
            f"there is no working NVIDIA driver on this machine ({_sentence(error)}); {ELSEWHERE}"
        ) from error
    if not n_devices:
        raise DeviceUnavailable(f"there is a driver but no NVIDIA graphics processor on this machine; {ELSEWHERE}")
    try:
        context = cuda.current_context()
        free, total = context.get_memory_info()
        name = context.device.name
    except Exception as error:
        raise DeviceUnavailable(f"the graphics processor cannot be used ({_sentence(error)}); {ELSEWHERE}") from error
    return Found(name.decode() if isinstance(name, bytes) else str(name), int(total), int(free))


def is_simulated() -> bool:
    """Return whether kernels run in Numba's simulator, as Python."""
    return bool(config.ENABLE_CUDASIM)


def lost(error: BaseException) -> bool:
    """Return whether an error came from the driver: the device was lost, or is out of memory."""
    return type(error).__name__ in ("CudaAPIError", "CudaDriverError", "CUDAError") or (
        type(error).__module__.startswith("cuda.")
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(unknown version)"


def _sentence(error: BaseException) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__
