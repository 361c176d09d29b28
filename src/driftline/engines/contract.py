"""The interface of engines for families that run tasks in parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from types import TracebackType
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypeAlias, TypeVar

from driftline.core.progress import track

R = TypeVar("R")
Handle: TypeAlias = Any
"""A value that `keep`, `share`, `derive` and `advance` return: an argument of later tasks, opaque to families."""
Task: TypeAlias = tuple[Any, ...]
"""The arguments of one call; handles are allowed."""
Tasks: TypeAlias = Sequence[Task]
Part: TypeAlias = tuple[Any, ...]
"""Some of the data: a named tuple of arrays."""
Call: TypeAlias = Callable[..., R]
"""A function of a task."""
Step: TypeAlias = Callable[..., tuple[Handle, R]]
"""A function of a task that returns a new state and a result."""
Fold: TypeAlias = Callable[[R, R], R]
"""A function that combines two results."""
Verbose: TypeAlias = bool | int


class Traits(NamedTuple):
    """Properties of an engine that decide how work is divided, and which methods run there; families know no others."""

    one_memory: bool = True
    """Whether tasks read the caller's memory; if not, documents are divided into one part per worker."""
    every_method: bool = True
    """Whether all methods run there; if not, only those that its device has kernels for."""
    whole_passes: bool = False
    """Whether a pass over all documents at once is faster than one chunk after the other."""


class Engine(Protocol):
    """Runs independent tasks in parallel, on its device; to be used in a ``with`` statement.

    Tasks must be divided by the data alone, never by `n_workers`: then the result does not depend on the number of
    workers. Inside the block and inside tasks, `driftline.compute.current_kernels` gives the kernels of the engine's
    device.
    """

    traits: ClassVar[Traits]
    """Its properties; those of an engine that is only named are `driftline.engines.choose.traits_of`."""

    @property
    def n_workers(self) -> int:
        """The number of tasks that run in parallel."""

    @property
    def device(self) -> str:
        """The name of the device on which tasks run."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

    def map(self, function: Call[R], tasks: Tasks, *, progress: str | None = None, verbose: Verbose = False) -> list[R]:
        """Return ``function(*task)`` of every task, in their order; `progress` and `verbose` are those of `track`."""

    def keep(self, parts: Sequence[Part]) -> list[Handle]:
        """Place parts of the data (named tuples of arrays) on the workers; return their handles."""

    def share(self, value: object) -> Handle:
        """Send a value to all workers; return its handle."""

    def derive(self, function: Call[object], tasks: Tasks) -> list[Handle]:
        """Start the function on every task and leave the results on the workers; return their handles."""

    def advance(self, function: Step[R], tasks: Tasks, *, fold: Fold[R] | None = None) -> tuple[list[Handle], list[R]]:
        """Map a function that returns a new state and a result; return the handles of the states, and the results.

        With `fold` the results are combined, in the order of the tasks, and the list contains the single combined
        result; the function may write into its first argument.
        """


def folded(results: list[R], fold: Callable[[R, R], R] | None) -> list[R]:
    """Return the results, combined if `fold` is given.

    >>> folded([1, 2, 3], lambda a, b: a + b)
    [6]
    """
    return results if fold is None or not results else [reduce(fold, results)]


def tracked(items: Sequence[R], progress: str | None, verbose: bool | int) -> Iterable[R]:
    """Return the items, with a progress bar if it has a name."""
    return items if progress is None else track(items, progress, total=len(items), verbose=verbose)
