"""Tasks on the workers of a Dask cluster, which may join and leave.

Parts of the data and the states of a chain are files in a folder shared by all workers, so nothing is lost with a
worker: another one repeats its task from the same files, with the same result.
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from driftline.compute.devices import check_device, checked_device, current_device, current_kernels, on_device
from driftline.core.errors import InvalidInput, MissingDependency
from driftline.engines.contract import Call, Fold, Handle, Part, Step, Task, Tasks, Traits, Verbose, folded, tracked

if TYPE_CHECKING:
    import distributed


ATTEMPTS = 5
RETRIES = 3
R = TypeVar("R")


class SharedValue:
    """A value on all workers, with the original, from which it can be sent again."""

    def __init__(self, value: object) -> None:
        self.value = value
        self.future: Handle = None


class FromDevice(NamedTuple):
    """An array that was on the device of a worker."""

    values: np.ndarray


class StateFile(NamedTuple):
    """The file of a partition's state."""

    path: str


class DaskEngine:
    """Run tasks on the cluster of the current `distributed.Client`; an `Engine` (`driftline.engines.contract`).

    The folder is ``driftline.folder`` in Dask's configuration, or a temporary one, which suffices for clusters on one
    machine. Tasks run on the device ``driftline.device`` of that configuration, or on the one that was current when the
    engine was created. Arrays go to the device of the worker with each task, and those of the result come back.
    """

    traits: ClassVar[Traits] = Traits(one_memory=False)

    def __init__(self, client: distributed.Client | None = None) -> None:
        try:
            import dask
            import distributed
        except ImportError:
            raise MissingDependency("engine='dask'", "distributed", "dask") from None
        try:
            self._client = distributed.default_client() if client is None else client  # type: ignore[no-untyped-call]
        except ValueError:
            raise InvalidInput(
                "engine='dask' works on the current Dask client, and there is none; create one with "
                "distributed.Client(address), or use engine='threads'"
            ) from None
        self.device = checked_device(dask.config.get("driftline.device", None) or current_device())
        check_device(self.device)
        self._killed = distributed.KilledWorker
        self._parent = dask.config.get("driftline.folder", None)
        self._folder: Path | None = None
        self._n_files = 0
        self._block: AbstractContextManager[None] | None = None

    @property
    def n_workers(self) -> int:
        """The current number of workers."""
        return max(1, len(self._client.scheduler_info(n_workers=-1)["workers"]))

    def __enter__(self) -> DaskEngine:
        self._folder = Path(tempfile.mkdtemp(prefix="driftline-", dir=self._parent))
        self._block = on_device(self.device)
        self._block.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._block is not None:
            self._block.__exit__(kind, error, traceback)
            self._block = None

    def keep(self, parts: Sequence[Part]) -> list[Handle]:
        """Write parts (named tuples of arrays) to the folder, for the workers to read."""
        handles = []
        for part in parts:
            path = self._path(".npz")
            np.savez(path, *part)
            handles.append(self._client.submit(_read_part, str(path), type(part), pure=False))
        return handles

    def derive(self, function: Call[object], tasks: Tasks) -> list[Handle]:
        """Start the function on every task and leave the results on the workers."""
        return [self._submit(function, task) for task in tasks]

    def share(self, value: object) -> SharedValue:
        """Send a value to all workers."""
        return SharedValue(current_kernels().memory.fetch(value))

    def map(self, function: Call[R], tasks: Tasks, *, progress: str | None = None, verbose: Verbose = False) -> list[R]:
        """Return ``function(*task)`` of every task, in their order; `progress` and `verbose` are those of `track`."""
        for attempt in itertools.count(1):
            futures = [self._submit(function, tuple(map(self._sent, task))) for task in tasks]
            try:
                for future in () if progress is None else tracked(futures, progress, verbose):
                    future.result()
                found: list[R] = [_each(_returned, result) for result in self._client.gather(futures)]
                return found
            except (CancelledError, self._killed):
                # Values on a lost worker are gone: send them again to the remaining ones.
                if attempt == ATTEMPTS:
                    raise
                for value in (value for task in tasks for value in task if isinstance(value, SharedValue)):
                    value.future = None
        return []

    def advance(self, function: Step[R], tasks: Tasks, *, fold: Fold[R] | None = None) -> tuple[list[Handle], list[R]]:
        """Map a function that returns a new state and a result; states stay in files, results are returned."""
        states = [StateFile(str(self._path(".npy"))) for _ in tasks]
        results: list[R] = self.map(_advanced, [(function, state.path, *task) for state, task in zip(states, tasks)])
        for task in tasks:
            if isinstance(task[0], StateFile):
                Path(task[0].path).unlink(missing_ok=True)
        return states, folded(results, fold)

    def _submit(self, function: Callable[..., object], task: Task) -> Handle:
        return self._client.submit(_call_on, self.device, function, *task, pure=False, retries=RETRIES)

    def _sent(self, value: object) -> object:
        if not isinstance(value, SharedValue):
            return value
        if value.future is None:
            value.future = self._client.scatter(value.value, broadcast=True, hash=False)
        return value.future

    def _path(self, ending: str) -> Path:
        if self._folder is None:
            raise InvalidInput("the engine has no folder yet; use it in a with statement")
        self._n_files += 1
        return self._folder / f"{self._n_files}{ending}"


def _read_part(path: str, kind: type[Part]) -> Part:
    with np.load(path, allow_pickle=False) as arrays:
        return kind(*(arrays[f"arr_{i}"] for i in range(len(arrays.files))))


def _advanced(function: Callable[..., tuple[object, R]], path: str, *task: object) -> R:
    """Read the state if the first argument is one, run the task, write the new state, return the result."""
    if task and isinstance(task[0], StateFile):
        task = (_placed(np.load(task[0].path, allow_pickle=False)), *task[1:])
    state, result = function(*task)
    unfinished = f"{path}.{id(state)}.npy"
    np.save(unfinished, current_kernels().memory.fetch(state), allow_pickle=False)
    Path(unfinished).replace(path)
    return result


def _call_on(device: str, function: Callable[..., object], *task: object) -> object:
    """Call a function on the device of a worker, to which the arrays of the task are copied."""
    with on_device(device):
        return _each(_fetched, function(*_each(_placed, task)))


def _each(change: Callable[[object], object], value: object) -> Any:
    """Apply a function to all leaves of a value: the parts of (named) tuples, and values that are not tuples."""
    if not isinstance(value, tuple) or isinstance(value, FromDevice):
        return change(value)
    parts = [_each(change, part) for part in value]
    if all(part is before for part, before in zip(parts, value)):
        return value
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def _placed(value: object) -> object:
    """Return an array on the device of this process."""
    if isinstance(value, np.ndarray):
        return current_kernels().memory.place(value)
    return _returned(value)


def _returned(value: object) -> object:
    """Move an array from the device of a worker to that of this process; other values are returned unchanged."""
    return current_kernels().memory.place(value.values) if isinstance(value, FromDevice) else value


def _fetched(value: object) -> object:
    """Return an array in the memory of the processor, marked if it was on a device."""
    found = current_kernels().memory.fetch(value)
    return value if found is value else FromDevice(found)
