"""Where work runs: in the threads of this process, or on the workers of a Dask cluster."""

from driftline.engines.choose import engine_of
from driftline.engines.contract import Engine
from driftline.engines.threads import Threads

__all__ = ["Engine", "Threads", "engine_of"]
