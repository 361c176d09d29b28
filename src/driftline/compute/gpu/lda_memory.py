"""Arrays in the layout of the topic models' kernels: float32, topics padded to whole teams of lanes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from driftline.compute.gpu.lanes import layout_of

Floats32 = npt.NDArray[np.float32]


def padded(n_topics: int) -> int:
    """Return the number of topics with padding."""
    return layout_of(n_topics).width


def aligned(shape: int | tuple[int, ...]) -> Floats32:
    """Return float32 zeros in the memory of the processor, from where kernels copy them."""
    return np.zeros(shape, dtype=np.float32)


def has_room(values: Floats32) -> bool:
    """Return whether an array may be passed to the kernels unchanged: its type is float32 and its rows are padded."""
    return bool(values.dtype == np.float32 and values.shape[-1] == padded(values.shape[-1]))


def scratch_rows(n_rows: int, width: int) -> Floats32:
    """Allocate memory for intermediate results: none, since they stay in registers."""
    return np.empty((0, 0), dtype=np.float32)


def pad_columns(values: npt.ArrayLike, width: int) -> Floats32:
    """Return a copy of an array of topics with zeros added to its last axis."""
    values = np.asarray(values)
    result = aligned((*values.shape[:-1], width))
    result[..., : values.shape[-1]] = values
    return result
