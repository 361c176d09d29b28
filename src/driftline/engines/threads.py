"""Tasks in the threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from types import TracebackType
from typing import ClassVar, TypeVar

from joblib import effective_n_jobs

from driftline.compute.devices import call_on, checked_device, current_device, on_device
from driftline.engines.contract import Call, Fold, Handle, Part, Step, Task, Tasks, Traits, Verbose, folded, tracked

R = TypeVar("R")


class Threads:
    """Run independent tasks in parallel; results are in the order of the tasks.

    The tasks must release the GIL (compiled kernels, NumPy) to gain anything. With one worker they run sequentially, in
    the calling thread. Callers must not divide the work by the number of workers: then the result does not depend on
    it.

    Parameters
    ----------
    n_jobs : int or None
        The number of threads; None is one (or the setting of `joblib.parallel_config`), -1 all processors.
    device : str or None
        The device on which tasks run; None is the current one.

    >>> with Threads(2) as threads:
    ...     threads.map(pow, [(2, 3), (2, 4)])
    [8, 16]
    """

    traits: ClassVar[Traits] = Traits()

    def __init__(self, n_jobs: int | None = None, device: str | None = None) -> None:
        self.n_workers = effective_n_jobs(n_jobs)
        self.device = current_device() if device is None else checked_device(device)
        self._pool: ThreadPoolExecutor | None = None
        self._block: AbstractContextManager[None] | None = None

    def __enter__(self) -> Threads:
        self._block = on_device(self.device)
        self._block.__enter__()
        if self.n_workers > 1:
            self._pool = ThreadPoolExecutor(self.n_workers, thread_name_prefix="driftline")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None
        if self._block is not None:
            self._block.__exit__(kind, error, traceback)
            self._block = None

    def keep(self, parts: Sequence[Part]) -> list[Handle]:
        """Return the parts of the data unchanged: threads share memory."""
        return list(parts)

    def share(self, value: object) -> Handle:
        """Return the value unchanged: threads share memory."""
        return value

    def derive(self, function: Call[R], tasks: Tasks) -> list[R]:
        """Run the function on every task and return the results as handles."""
        return self.map(function, tasks)

    def advance(self, function: Step[R], tasks: Tasks, *, fold: Fold[R] | None = None) -> tuple[list[Handle], list[R]]:
        """Map a function that returns a new state and a result; return the states and the results separately."""
        answers = self.map(function, tasks)
        return [state for state, _ in answers], folded([result for _, result in answers], fold)

    def map(self, function: Call[R], tasks: Tasks, *, progress: str | None = None, verbose: Verbose = False) -> list[R]:
        """Return ``function(*task)`` of every task; `progress` and `verbose` are those of `core.progress.track`."""
        if self._pool is None or len(tasks) < 2:
            with on_device(self.device):
                return [function(*task) for task in tracked(tasks, progress, verbose)]
        futures = [self._pool.submit(call_on, self.device, function, *task) for task in tasks]
        return [future.result() for future in tracked(futures, progress, verbose)]


def map_in_threads(
    function: Callable[..., R],
    tasks: Sequence[Task],
    *,
    n_jobs: int | None = None,
    progress: str | None = None,
    verbose: bool | int = False,
) -> list[R]:
    """Return ``function(*task)`` of every task, run by threads that are started only for these tasks.

    >>> map_in_threads(pow, [(2, 3), (2, 4)], n_jobs=2)
    [8, 16]
    """
    with Threads(n_jobs) as threads:
        return threads.map(function, tasks, progress=progress, verbose=verbose)
