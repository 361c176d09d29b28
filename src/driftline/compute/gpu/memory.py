"""Memory of the device: arrays come from a pool under a limit, and are copied while kernels process others.

Kernels run in one stream and copies of blocks in another. A released array is reused by the next request of its shape
and type, so that nothing is allocated, and nothing waits, after the first step of a run.
"""

from __future__ import annotations

import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from driftline.compute.gpu.driver import check, cuda_module, is_simulated, lost
from driftline.core.arrays import DeviceArray
from driftline.core.errors import DeviceUnavailable

SHARE = 0.9
"""Share of the free memory that may be used if no limit is given."""
TOUCHED = 2**26
"""Minimum size in bytes of new memory whose pages several threads touch before a copy; it would wait for each."""
PAGE, TOUCHING = 4096, 8
"""Size in bytes of a page, and the number of threads."""
BESIDE = 16
"""Number of streams for concurrent kernels."""


class _Pool:
    """Released arrays by shape and type, and the memory in use."""

    def __init__(self) -> None:
        self.limit, self.used, self.most = 0, 0, 0
        self.spare: dict[Any, list[DeviceArray]] = {}
        self.streams: tuple[Any, Any] | None = None
        self.beside: list[Any] = []
        self.begun: Any = None
        self.n_begun, self.turn = 0, 0
        self.passing = False

    def take(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> DeviceArray:
        dtype = np.dtype(dtype)
        waiting = self.spare.get((shape, dtype.str))
        if waiting:
            return waiting.pop()
        n = int(np.prod(shape)) * dtype.itemsize
        if not self.limit:
            limit_bytes(None)
        if self.used + n > self.limit:
            self.drop()
        if self.used + n > self.limit:
            raise DeviceUnavailable(
                f"the graphics processor has too little memory: {_size(n)} are needed besides {_size(self.used)}, "
                f"and {_size(self.limit)} may be used; use fewer topics or words, or engine='threads'"
            )
        found = cuda_module().device_array(shape, dtype)
        self.used += n
        self.most = max(self.most, self.used)
        weakref.finalize(found, self._forget, n)
        return found

    def _forget(self, n: int) -> None:
        self.used -= n

    def drop(self) -> None:
        """Return all spare arrays to the driver."""
        self.spare.clear()
        _free_now()


_pool = _Pool()


def limit_bytes(limit: int | None) -> int:
    """Set the limit of the memory in use, in bytes (by default nine tenths of what is free); return it."""
    _pool.drop()
    _pool.most, _pool.passing = _pool.used, False
    free = int(SHARE * check().free) + _pool.used
    _pool.limit = free if limit is None else min(int(limit), free)
    return _pool.limit


def most_bytes() -> int:
    """Return the maximum of the memory in use since `limit_bytes`."""
    return _pool.most


def clear() -> None:
    """Return all unused arrays to the driver."""
    _pool.drop()


def streams() -> tuple[Any, Any]:
    """Return the stream of the kernels, which waits for all concurrent kernels, and that of copies of blocks."""
    if _pool.streams is None:
        cuda = cuda_module()
        _pool.streams = cuda.stream(), cuda.stream()
        _pool.beside = [cuda.stream() for _ in range(BESIDE)]
    if _pool.begun is not None:
        for stream in _pool.beside[: _pool.n_begun]:
            _after(stream, _pool.streams[0])
        _pool.begun = None
    return _pool.streams


def beside() -> Any:
    """Return a stream for a kernel that is independent of all those launched through this function since `streams`.

    A part takes as long as its longest document; concurrent parts do not wait for it. Parts that are copied to the
    device block by block are processed one after the other.
    """
    if _pool.passing:
        return streams()[0]
    if _pool.begun is None:
        work = streams()[0]
        _pool.begun, _pool.n_begun, _pool.turn = cuda_module().event(), 0, 0
        _pool.begun.record(work)
    stream = _pool.beside[_pool.turn % BESIDE]
    if _pool.turn < BESIDE:
        _pool.begun.wait(stream)
        _pool.n_begun += 1
    _pool.turn += 1
    return stream


def empty(shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> DeviceArray:
    """Return an uninitialised array on the device."""
    return _pool.take(tuple(np.atleast_1d(shape).tolist()), dtype)


def give_back(array: DeviceArray) -> None:
    """Make the array available to the next request of its shape and type, once the kernels launched so far are done."""
    _pool.spare.setdefault((tuple(array.shape), array.dtype.str), []).append(array)


def is_here(value: DeviceArray) -> bool:
    """Return whether a value is an array on the device."""
    return hasattr(value, "copy_to_host")


def place(value: DeviceArray) -> DeviceArray:
    """Return an array on the device with these values; one that is already there is returned unchanged."""
    if is_here(value):
        return value
    value = np.ascontiguousarray(value)
    found = empty(value.shape, value.dtype)
    if value.size:
        found.copy_to_device(value, stream=streams()[0])
        streams()[0].synchronize()  # so that the caller may change its own
    return found


def fetch(value: DeviceArray) -> DeviceArray:
    """Return the values of an array as one in the memory of the processor."""
    if not is_here(value):
        return value
    result = np.empty(value.shape, value.dtype)
    if result.nbytes >= TOUCHED:
        pages = result.reshape(-1).view(np.uint8)[::PAGE]
        with ThreadPoolExecutor(TOUCHING) as pool:
            list(pool.map(lambda some: some.fill(0), np.array_split(pages, TOUCHING)))
    if result.size:
        value.copy_to_host(result, stream=streams()[0])
        streams()[0].synchronize()
    return result


def pinned(value: DeviceArray) -> DeviceArray:
    """Return a copy in memory from and to which the device can copy asynchronously."""
    result = pinned_like(value)
    result[...] = fetch(value)
    return result


def pinned_like(value: DeviceArray) -> DeviceArray:
    """Allocate memory from and to which the device can copy asynchronously."""
    return cuda_module().pinned_array(value.shape, value.dtype)


class Pipeline:
    """Transfer of blocks to the device and back, while kernels process the previous block."""

    def __init__(self) -> None:
        self._work, self._copy = streams()
        self._busy = False
        self._leaving: list[list[Any]] = []

    def upload(self, arrays: tuple[DeviceArray, ...]) -> tuple[DeviceArray, ...]:
        """Start copying pinned arrays to the device, once the kernels launched so far are done."""
        self._pass()
        _after(self._work, self._copy)
        found = tuple(empty(array.shape, array.dtype) for array in arrays)
        for here, array in zip(found, arrays):
            if array.size:
                here.copy_to_device(array, stream=self._copy)
        return found

    def arrived(self) -> None:
        """Make the kernels launched from now on wait for the uploads."""
        if self._busy:
            _after(self._copy, self._work)
        for array in self._leaving.pop(0) if len(self._leaving) > 1 else ():
            give_back(array)

    def leave(self, array: DeviceArray, pinned_array: DeviceArray) -> None:
        """Copy an array back once the kernels launched so far are done, and release it afterwards."""
        self._pass()
        _after(self._work, self._copy)
        if array.size:
            array.copy_to_host(pinned_array, stream=self._copy)
        self.done_with((array,))

    def done_with(self, arrays: tuple[DeviceArray, ...]) -> None:
        """Release arrays once neither kernels nor copies need them."""
        if arrays:
            self._leaving.append(list(arrays))

    def finish(self) -> None:
        """Wait for all transfers."""
        if self._busy:
            self._copy.synchronize()
            self._work.synchronize()
            _pool.passing = self._busy = False
        for arrays in self._leaving:
            for array in arrays:
                give_back(array)
        self._leaving = []

    def _pass(self) -> None:
        """Run kernels one after the other from now on."""
        streams()
        _pool.passing = self._busy = True


def _after(first: DeviceArray, second: DeviceArray) -> None:
    """Make one stream wait for all work submitted to the other so far."""
    event = cuda_module().event()
    event.record(first)
    event.wait(second)


def explained(error: BaseException) -> BaseException:
    """Return the error to raise: if the driver failed, one that says what to do."""
    if not lost(error):
        return error
    return DeviceUnavailable(
        f"the graphics processor failed or was lost ({' '.join(str(error).split())[:120]}); fit again, "
        f"with engine='threads' if it fails again; a run with a checkpoint can be resumed there"
    )


def _free_now() -> None:
    """Make Numba free memory now, instead of deferring it."""
    if is_simulated():
        return
    cuda_module().current_context().memory_manager.deallocations.clear()


def _size(n: int) -> str:
    return f"{n / 1e9:.2f} GB" if n >= 1e8 else f"{n / 1e6:.1f} MB"
