"""The devices of this machine, and the engine that would be chosen."""

from __future__ import annotations

import os
from dataclasses import dataclass

from driftline.compute.devices import check_device
from driftline.core.errors import DeviceUnavailable, DriftlineError, MissingDependency
from driftline.engines.choose import LARGE, Choice, choose_engine


@dataclass(frozen=True)
class Machine:
    """The processors, the memory in bytes, the graphics processor and the Dask client, or why there is none."""

    n_processors: int
    memory: int
    gpu: str
    gpu_memory: int
    dask: str
    large: Choice
    small: Choice


def this_machine() -> Machine:
    """Inspect this machine; nothing is started, and no error is raised."""
    gpu, gpu_memory = _gpu()
    return Machine(
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        _memory(),
        gpu,
        gpu_memory,
        _dask(),
        choose_engine("auto", LARGE),
        choose_engine("auto", LARGE - 1),
    )


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0


def _gpu() -> tuple[str, int]:
    try:
        found = check_device("gpu")
    except (DeviceUnavailable, MissingDependency) as error:
        return f"none: {error}", 0
    return str(found.name), int(found.total)


def _dask() -> str:
    from driftline.engines.dask import DaskEngine

    try:
        return f"a client with {DaskEngine().n_workers} workers"
    except DriftlineError as error:
        return f"none: {error}"
