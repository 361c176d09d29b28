"""Memory of the device: that of the processor, so that arrays need no copies."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import DeviceArray


def limit_bytes(limit: int | None) -> int:
    """Set the limit of the memory in use: there is none here."""
    return 2**62 if limit is None else int(limit)


def clear() -> None:
    """Free all unused arrays: NumPy does so itself."""


def empty(shape: tuple[int, ...], dtype: npt.DTypeLike) -> DeviceArray:
    """Return an uninitialised array."""
    return np.empty(shape, dtype)


def place(value: DeviceArray) -> DeviceArray:
    """Return an array that kernels can use."""
    return value


def fetch(value: DeviceArray) -> DeviceArray:
    """Return the values of an array as one in the memory of the processor."""
    return value


def give_back(array: DeviceArray) -> None:
    """Release the memory of an array: NumPy frees it."""


def pinned(value: DeviceArray) -> DeviceArray:
    """Return a copy in memory from and to which the device can copy asynchronously."""
    return np.array(value)


def pinned_like(value: DeviceArray) -> DeviceArray:
    """Allocate memory from and to which the device can copy asynchronously."""
    return np.empty_like(value)


class Pipeline:
    """Transfer of blocks to the device and back."""

    def upload(self, arrays: tuple[DeviceArray, ...]) -> tuple[DeviceArray, ...]:
        """Return arrays that kernels can use."""
        return tuple(array.copy() for array in arrays)

    def arrived(self) -> None:
        """Wait for the uploaded arrays."""

    def leave(self, array: DeviceArray, pinned_array: DeviceArray) -> None:
        """Copy an array back."""
        pinned_array[...] = array

    def done_with(self, arrays: tuple[DeviceArray, ...]) -> None:
        """Release arrays: NumPy frees them."""

    def finish(self) -> None:
        """Wait for all transfers."""


def explained(error: BaseException) -> BaseException:
    """Return the error to raise: here, the same."""
    return error
