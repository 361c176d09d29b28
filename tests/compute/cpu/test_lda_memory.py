from __future__ import annotations

import numpy as np
import pytest

from driftline.compute.cpu.lda_memory import aligned, pad_columns, padded


@pytest.mark.parametrize("shape", [16, (3, 16), (0, 16), (1000, 208)])
def test_aligned_arrays_begin_on_a_cache_line_and_are_zero(shape):
    for _ in range(5):
        array = aligned(shape)
        assert array.size == 0 or array.ctypes.data % 64 == 0
        assert array.dtype == np.float32
        assert not array.any()
        assert array.flags.writeable


def test_padding():
    assert [padded(n) for n in (1, 16, 17)] == [16, 16, 32]
    given = np.arange(6.0).reshape(2, 3)
    result = pad_columns(given, 16)
    assert (result[:, :3] == given).all()
    assert not result[:, 3:].any()
