"""The engine that a user named, or the one that suits the work."""

from __future__ import annotations

from typing import NamedTuple

from driftline.compute.devices import check_device
from driftline.core.errors import DeviceUnavailable, MissingDependency
from driftline.engines.contract import Engine
from driftline.engines.threads import Threads

ENGINES = ("threads", "dask", "gpu", "auto")
"""The names of the engines; "auto" is the graphics processor or threads."""
LARGE = 2_000_000_000
"""Minimum number of (document, word) pairs × topics at which "auto" prefers the graphics processor: more than the
largest problem on which sixteen threads were about as fast (`benchmarks/topics/gpu.py`)."""


class Choice(NamedTuple):
    """The name of an engine, and why it was chosen."""

    name: str
    reason: str


def choose_engine(name: str, work: float, *, possible: bool = True, large: float = LARGE) -> Choice:
    """Return the engine to use for `work` pairs × topics.

    `possible` is whether the work can run on the graphics processor, `large` the amount at which it is faster there.

    >>> choose_engine("threads", 1e12)
    Choice(name='threads', reason='named')
    >>> choose_engine("auto", 1e6).name
    'threads'
    """
    if name != "auto":
        return Choice(name, "named")
    if not possible:
        return Choice("threads", "this method runs on the processor only")
    if work < large:
        return Choice("threads", f"{work:,.0f} pairs × topics are fewer than {large:,.0f}: little is gained elsewhere")
    try:
        found = check_device("gpu")
    except (DeviceUnavailable, MissingDependency) as error:
        return Choice("threads", str(error))
    return Choice("gpu", f"{work:,.0f} pairs × topics are enough for the device {found.name}")


def engine_of(name: str, n_jobs: int | None = None) -> Engine:
    """Return the engine called "threads" (with `n_jobs` of them), "dask" (on the current Dask client) or "gpu".

    >>> with engine_of("threads", 1) as engine:
    ...     engine.map(len, [("ab",), ("cde",)])
    [2, 3]
    """
    if name == "threads":
        return Threads(n_jobs)
    if name == "gpu":
        from driftline.engines.gpu import GpuEngine

        return GpuEngine()
    from driftline.engines.dask import DaskEngine

    return DaskEngine()
