"""The engine that a user named, or the one that suits the work."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from driftline.compute.devices import check_device
from driftline.core.errors import DeviceUnavailable, InvalidInput, MissingDependency
from driftline.engines.contract import Engine, Traits
from driftline.engines.dask import DaskEngine
from driftline.engines.gpu import GpuEngine
from driftline.engines.threads import Threads


class Kind(NamedTuple):
    """An engine by its name: its properties, and a function that makes it for a number of threads."""

    traits: Traits
    make: Callable[[int | None], Engine]


_kinds = {
    "threads": Kind(Threads.traits, Threads),
    "dask": Kind(DaskEngine.traits, lambda n_jobs: DaskEngine()),
    "gpu": Kind(GpuEngine.traits, lambda n_jobs: GpuEngine()),
}
DEFAULT_ENGINE = "threads"
ENGINES = (*_kinds, "auto")
"""The names of the engines; "auto" is the graphics processor or threads."""
NEAR_ENGINES = tuple(name for name, kind in _kinds.items() if kind.traits.one_memory)
"""The names of those that need no cluster."""
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
        return Choice(DEFAULT_ENGINE, "this method runs on the processor only")
    if work < large:
        return Choice(
            DEFAULT_ENGINE, f"{work:,.0f} pairs × topics are fewer than {large:,.0f}: little is gained elsewhere"
        )
    try:
        found = check_device("gpu")
    except (DeviceUnavailable, MissingDependency) as error:
        return Choice(DEFAULT_ENGINE, str(error))
    return Choice("gpu", f"{work:,.0f} pairs × topics are enough for the device {found.name}")


def engine_of(name: str, n_jobs: int | None = None) -> Engine:
    """Return the engine called "threads" (with `n_jobs` of them), "dask" (on the current Dask client) or "gpu".

    >>> with engine_of("threads", 1) as engine:
    ...     engine.map(len, [("ab",), ("cde",)])
    [2, 3]
    """
    return _kind(name).make(n_jobs)


def traits_of(name: str) -> Traits:
    """Return the properties of the engine of this name; "auto" has those of threads, which run what others cannot.

    >>> traits_of("dask")
    Traits(one_memory=False, every_method=True, whole_passes=False)
    """
    return _kind(DEFAULT_ENGINE if name == "auto" else name).traits


def register_engine(name: str, traits: Traits, make: Callable[[int | None], Engine]) -> None:
    """Register a function that makes the engine `name`, for a number of threads."""
    _kinds[name] = Kind(traits, make)


def _kind(name: str) -> Kind:
    if name not in _kinds:
        raise InvalidInput(f"there is no engine {name!r}; the engines are {', '.join(map(repr, _kinds))}")
    return _kinds[name]
