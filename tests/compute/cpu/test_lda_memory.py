from __future__ import annotations

import numpy as np
import pytest

from driftline.compute.cpu.lda_memory import aligned, has_room, pad_columns, padded, scratch_rows


@pytest.mark.parametrize("shape", [16, (3, 16), (0, 16), (1000, 208)])
def test_aligned_arrays_begin_on_a_cache_line_and_are_zero(shape):
    for _ in range(5):
        array = aligned(shape)
        assert array.size == 0 or array.ctypes.data % 64 == 0
        assert array.dtype == np.float32
        assert not array.any()
        assert array.flags.writeable


def test_nothing_lies_near_and_it_is_known():
    made = aligned((3, 16))
    assert has_room(made)
    assert has_room(made[:2])
    assert not has_room(np.zeros((3, 16), dtype=np.float32))
    assert not has_room(made.copy())
    rows = scratch_rows(2, 16)
    assert rows[1].ctypes.data - rows[0, 15:].ctypes.data >= 1024


def test_padding():
    assert [padded(n) for n in (1, 16, 17)] == [16, 16, 32]
    given = np.arange(6.0).reshape(2, 3)
    result = pad_columns(given, 16)
    assert (result[:, :3] == given).all()
    assert not result[:, 3:].any()
