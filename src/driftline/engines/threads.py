"""Work in the threads of this process."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from joblib import effective_n_jobs


class Threads:
    """Run independent tasks at the same time; results come in the order of the tasks.

    The pieces must release the GIL (compiled kernels, NumPy) to gain anything. With one worker they run one after the
    other, in the calling thread. Whoever cuts the work into pieces must not look at the number of workers: then neither
    does the answer.

    Parameters
    ----------
    n_jobs : int or None
        The number of threads; None is one (or what `joblib.parallel_config` says), -1 all processors.

    >>> with Threads(2) as threads:
    ...     threads.map(pow, [(2, 3), (2, 4)])
    [8, 16]
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_workers = effective_n_jobs(n_jobs)
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> Threads:
        if self.n_workers > 1:
            self._pool = ThreadPoolExecutor(self.n_workers, thread_name_prefix="driftline")
        return self

    def __exit__(self, *exception: Any) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def keep(self, parts: Sequence[Any]) -> list[Any]:
        """Place parts of the data where they will be worked on: in threads, they are there already."""
        return list(parts)

    def share(self, value: Any) -> Any:
        """Make a value known to all workers."""
        return value

    def derive(self, function: Callable[..., Any], pieces: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Do something with every piece and leave the results where they are."""
        return self.map(function, pieces)

    def advance(self, function: Callable[..., Any], pieces: Sequence[tuple[Any, ...]]) -> tuple[list[Any], list[Any]]:
        """Map a function that returns a new state and a result; return the states and the results apart."""
        answers = self.map(function, pieces)
        return [state for state, _ in answers], [result for _, result in answers]

    def map(self, function: Callable[..., Any], pieces: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return ``function(*piece)`` of every piece."""
        if self._pool is None or len(pieces) < 2:
            return [function(*piece) for piece in pieces]
        return [future.result() for future in [self._pool.submit(function, *piece) for piece in pieces]]


@contextlib.contextmanager
def one_thread() -> Iterator[Threads]:
    """Give a block an engine that runs everything in the calling thread."""
    with Threads(1) as engine:
        yield engine
