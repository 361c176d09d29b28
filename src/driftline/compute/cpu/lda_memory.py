"""Arrays as the kernels of the topic models want them: float32, topics padded to whole vectors, aligned to 64 bytes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats32 = npt.NDArray[np.float32]

WIDTH = 16
"""Topics are padded to a multiple of this: one 512-bit register of float32."""
ROOM = 1024


def padded(n_topics: int) -> int:
    """Return the number of topics with padding.

    >>> padded(50)
    64
    """
    return -(-n_topics // WIDTH) * WIDTH


def aligned(shape: int | tuple[int, ...]) -> Floats32:
    """Return float32 zeros that begin on a 64-byte boundary (20 % faster), with nothing else within 1,024 bytes.

    Compiled loops look at run time whether arrays come too near each other, and add in another order if they do. With
    room around every array they never do, so the same numbers give the same bytes wherever the arrays happen to lie.
    """
    n = int(np.prod(shape)) * 4
    raw = np.zeros(n + 2 * ROOM + 64, dtype=np.uint8)
    start = ROOM + -(raw.ctypes.data + ROOM) % 64
    return raw[start : start + n].view(np.float32).reshape(shape)


def has_room(values: Floats32) -> bool:
    """Return whether an array was made by `aligned`, and may be handed to the loops as it is."""
    base = values.base
    while isinstance(base, np.ndarray) and base.dtype != np.uint8:
        base = base.base
    if not isinstance(base, np.ndarray) or base.nbytes < values.nbytes + 2 * ROOM:
        return False
    return values.ctypes.data % 64 == 0 and values.ctypes.data - base.ctypes.data >= ROOM


def scratch_rows(n_rows: int, width: int) -> Floats32:
    """Return room for intermediate results: rows of at least `width` values that keep away from each other."""
    return aligned((n_rows, width + ROOM // 4))


def pad_columns(values: npt.ArrayLike, width: int) -> Floats32:
    """Return a copy of an array of topics, aligned and with zeros added to its last axis."""
    values = np.asarray(values)
    result = aligned((*values.shape[:-1], width))
    result[..., : values.shape[-1]] = values
    return result
