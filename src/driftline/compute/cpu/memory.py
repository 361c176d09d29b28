"""Memory of the device: that of the processor, where arrays are already."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from driftline.core.arrays import DeviceArray


def limit_bytes(limit: int | None) -> int:
    """Set the limit of the memory in use: here there is none of our own."""
    return 2**62 if limit is None else int(limit)


def clear() -> None:
    """Return all arrays that nobody uses: NumPy does."""


def empty(shape: tuple[int, ...], dtype: npt.DTypeLike) -> DeviceArray:
    """Return an array with anything in it."""
    return np.empty(shape, dtype)


def place(value: DeviceArray) -> DeviceArray:
    """Return an array that kernels can work on."""
    return value


def fetch(value: DeviceArray) -> DeviceArray:
    """Return the values of an array as one in the memory of the processor."""
    return value


def give_back(array: DeviceArray) -> None:
    """Let others have the memory of an array: NumPy frees it."""


def pinned(value: DeviceArray) -> DeviceArray:
    """Return a copy from which, and to which, the device copies while it works."""
    return np.array(value)


def pinned_like(value: DeviceArray) -> DeviceArray:
    """Return room for a copy from which, and to which, the device copies while it works."""
    return np.empty_like(value)


class Pipeline:
    """Blocks on their way to the device and back."""

    def upload(self, arrays: tuple[DeviceArray, ...]) -> tuple[DeviceArray, ...]:
        """Return arrays that kernels can work on."""
        return tuple(array.copy() for array in arrays)

    def arrived(self) -> None:
        """Wait for what was uploaded."""

    def leave(self, array: DeviceArray, pinned_array: DeviceArray) -> None:
        """Copy an array back."""
        pinned_array[...] = array

    def done_with(self, arrays: tuple[DeviceArray, ...]) -> None:
        """Give arrays back: NumPy frees them."""

    def finish(self) -> None:
        """Wait until everything is where it belongs."""


def explained(error: BaseException) -> BaseException:
    """Return the error to raise: here, the same."""
    return error
