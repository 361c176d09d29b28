"""Engines that run tasks: the threads of this process, the workers of a Dask cluster, or a graphics processor."""

from driftline.engines.choose import engine_of
from driftline.engines.contract import Engine
from driftline.engines.gpu import gpu_memory_limit
from driftline.engines.threads import Threads

__all__ = ["Engine", "Threads", "engine_of", "gpu_memory_limit"]
