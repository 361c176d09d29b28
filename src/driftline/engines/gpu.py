"""Work on a graphics processor: parts of the data stay in its memory, or pass through it if it is too small.

Half of the usable memory is for resident parts and states. Those that do not fit are kept in pinned memory of the host;
each is copied to the device while the previous one is processed, and its state is copied back. The result is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, ClassVar, TypeVar

import numpy as np

from driftline.compute.devices import check_device, current_kernels, on_device
from driftline.core.arrays import DeviceArray
from driftline.core.errors import InvalidInput
from driftline.engines.contract import Call, Fold, Handle, Part, Step, Task, Tasks, Traits, Verbose, folded, tracked

R = TypeVar("R")
RESIDENT = 0.5
"""Share of the memory for resident parts and states."""
_limit: ContextVar[int | None] = ContextVar("device memory limit", default=None)


@contextmanager
def gpu_memory_limit(n_bytes: int) -> Iterator[None]:
    """Limit the device memory of engines that are created inside the block.

    >>> with gpu_memory_limit(2_000_000_000):
    ...     pass
    """
    if n_bytes <= 0:
        raise InvalidInput(f"the limit of the device memory must be above zero; got {n_bytes}")
    token = _limit.set(int(n_bytes))
    try:
        yield
    finally:
        _limit.reset(token)


class Held:
    """An array, or a named tuple of arrays, on the device or in pinned memory."""

    def __init__(self, value: object, *, stays: bool) -> None:
        self.value, self.stays = value, stays

    @property
    def arrays(self) -> tuple[DeviceArray, ...]:
        """Its arrays."""
        return tuple(self.value) if isinstance(self.value, tuple) else (self.value,)

    @property
    def n_bytes(self) -> int:
        """The size of its arrays."""
        return sum(int(array.nbytes) for array in self.arrays)

    def like(self, arrays: tuple[DeviceArray, ...]) -> Handle:
        """Return other arrays in the same form."""
        return type(self.value)(*arrays) if isinstance(self.value, tuple) else arrays[0]

    def copy_to_host(self) -> np.ndarray:
        """Return the values of an array, so that a state that contains it can be saved."""
        fetched: np.ndarray = current_kernels().memory.fetch(self.value)
        return fetched


class GpuEngine:
    """Run tasks one after the other on a device; an `Engine` (`driftline.engines.contract`).

    Parameters
    ----------
    limit : int, optional
        The maximum device memory to use, in bytes; by default that of `gpu_memory_limit`, or nine tenths of the free
        memory.
    device : str
        The name of the device.
    """

    n_workers = 1
    traits: ClassVar[Traits] = Traits(every_method=False, whole_passes=True)

    def __init__(self, limit: int | None = None, device: str = "gpu") -> None:
        check_device(device)
        self.device = device
        self._limit = _limit.get() if limit is None else limit
        self._room = 0.0
        self._block: AbstractContextManager[None] | None = None

    def __enter__(self) -> GpuEngine:
        self._block = on_device(self.device)
        self._block.__enter__()
        self._room = RESIDENT * current_kernels().memory.limit_bytes(self._limit)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        memory = current_kernels().memory
        raised = None if error is None else memory.explained(error)
        lost = raised is not error
        try:
            memory.clear()
        except Exception:
            if not lost:  # a lost device cannot free memory either
                raise
        finally:
            if self._block is not None:
                self._block.__exit__(kind, error, traceback)
                self._block = None
        if raised is not None and lost:
            raise raised from error

    def keep(self, parts: Sequence[Part]) -> list[Handle]:
        """Copy parts (named tuples of arrays) to the device until it is full, and the others to pinned memory."""
        return [self._held(part) for part in parts]

    def share(self, value: object) -> Handle:
        """Copy an array to the device."""
        return current_kernels().memory.place(value)

    def derive(self, function: Call[object], tasks: Tasks) -> list[Handle]:
        """Call the function on every task and leave the results where they are."""
        return self.map(function, tasks)

    def map(self, function: Call[R], tasks: Tasks, *, progress: str | None = None, verbose: Verbose = False) -> list[R]:
        """Return ``function(*task)`` of every task, in their order; `progress` and `verbose` are those of `track`."""
        found: list[R] = []
        self._run(function, list(tracked(tasks, progress, verbose)), lambda _, task, result: found.append(result))
        return found

    def advance(self, function: Step[R], tasks: Tasks, *, fold: Fold[R] | None = None) -> tuple[list[Handle], list[R]]:
        """Map a function that returns a new state and a result; states stay on the device or in pinned memory."""
        states: list[Handle] = []
        results: list[R] = []

        def take(pipeline: object, task: Task, answer: tuple[DeviceArray, R]) -> None:
            state, result = answer
            before = task[0] if task and isinstance(task[0], Held) else None
            states.append(self._kept_state(pipeline, before, state))
            results[:] = folded([*results, result], fold)

        self._run(function, tasks, take)
        return states, results

    def _run(self, function: Callable[..., object], tasks: Sequence[Task], take: Callable[..., None]) -> None:
        with on_device(self.device):
            pipeline = current_kernels().memory.Pipeline()
            waiting = self._sent(pipeline, tasks[0] if tasks else ())
            for i, task in enumerate(tasks):
                pipeline.arrived()
                here, passing = waiting
                if i + 1 < len(tasks):
                    waiting = self._sent(pipeline, tasks[i + 1])
                take(pipeline, task, function(*here))
                pipeline.done_with(passing)
            pipeline.finish()

    def _sent(self, pipeline: Any, task: Task) -> tuple[Task, tuple[DeviceArray, ...]]:
        """Return a task with arrays on the device instead of handles, and those that are there only temporarily."""
        here: list[object] = []
        passing: list[DeviceArray] = []
        for number, value in enumerate(task):
            if not isinstance(value, Held):
                here.append(value)
            elif value.stays:
                here.append(value.value)
            else:
                arrays = pipeline.upload(value.arrays)
                here.append(value.like(arrays))
                passing.extend(arrays if number or isinstance(value.value, tuple) else ())
        return tuple(here), tuple(passing)

    def _held(self, part: Part) -> Held:
        n_bytes = sum(int(array.nbytes) for array in part)
        stays = n_bytes <= self._room
        if stays:
            self._room -= n_bytes
        put = current_kernels().memory.place if stays else current_kernels().memory.pinned
        return Held(type(part)(*map(put, part)), stays=stays)

    def _kept_state(self, pipeline: Any, before: Held | None, state: DeviceArray) -> Held:
        """Return the handle of a state that is on the device: it stays there, or is copied to pinned memory."""
        if before is not None and before.stays:
            if before.value is not state:
                current_kernels().memory.give_back(before.value)
            return Held(state, stays=True)
        if before is None and state.nbytes <= self._room:
            self._room -= state.nbytes
            return Held(state, stays=True)
        there = current_kernels().memory.pinned_like(state) if before is None else before.value
        pipeline.leave(state, there)
        return Held(there, stays=False)
