"""Selection of an engine by name."""

from __future__ import annotations

from driftline.engines.contract import Engine
from driftline.engines.threads import Threads

ENGINES = ("threads", "dask")
"""The names of the engines."""


def engine_of(name: str, n_jobs: int | None = None) -> Engine:
    """Return the engine "threads" (with `n_jobs` of them) or "dask" (on the current Dask client).

    >>> with engine_of("threads", 1) as engine:
    ...     engine.map(len, [("ab",), ("cde",)])
    [2, 3]
    """
    if name == "threads":
        return Threads(n_jobs)
    from driftline.engines.dask import DaskEngine

    return DaskEngine()
