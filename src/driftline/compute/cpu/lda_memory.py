"""Arrays as the kernels of the topic models want them: float32, topics padded to whole vectors, aligned to 64 bytes."""

import numpy as np

WIDTH = 16
"""Topics are padded to a multiple of this: one 512-bit register of float32."""


def padded(n_topics):
    """Return the number of topics with padding.

    >>> padded(50)
    64
    """
    return -(-n_topics // WIDTH) * WIDTH


def aligned(shape):
    """Return float32 zeros whose first element lies on a 64-byte boundary: 20 % faster than one that does not."""
    n = int(np.prod(shape)) * 4
    raw = np.zeros(n + 64, dtype=np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + n].view(np.float32).reshape(shape)


def pad_columns(values, width):
    """Return a copy of an array of topics, aligned and with zeros added to its last axis."""
    values = np.asarray(values)
    result = aligned((*values.shape[:-1], width))
    result[..., : values.shape[-1]] = values
    return result
