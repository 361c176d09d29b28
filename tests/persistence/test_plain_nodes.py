from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput, ModelFileError
from driftline.persistence.plain_nodes import (
    SIMPLE_NODES,
    decode_generator,
    decode_scalar,
    encode_generator,
    encode_scalar,
)


def test_scalars_keep_their_kind_and_value():
    for value in (np.float16(0.1), np.int32(-7), np.datetime64("2003-03-20", "D"), np.str_("x"), np.complex128(1j)):
        loaded = decode_scalar(encode_scalar(value, "x"))
        assert type(loaded) is type(value)
        assert loaded.dtype == value.dtype
        assert loaded == value


@pytest.mark.parametrize(
    "node",
    [
        {"$": "float", "value": "1e5"},
        {"$": "scalar", "dtype": "|O", "value": 1},
        {"$": "scalar", "dtype": "<U3", "value": 5},
        {"$": "timedelta", "value": ["1", 2, 3]},
        {"$": "range", "value": [1.5, 2, 3]},
    ],
)
def test_wrong_content_is_refused(node):
    with pytest.raises(ModelFileError):
        SIMPLE_NODES[node["$"]](node)


def test_a_generator_without_its_seeds_still_goes_on():
    generator = np.random.Generator(np.random.PCG64(3))
    node = encode_generator(generator, "x")
    del node["seeds"]
    assert decode_generator(node).random() == generator.random()


def test_an_unknown_bit_generator_is_refused():
    class Odd(np.random.PCG64):
        pass

    with pytest.raises(InvalidInput, match=r"x: .*Odd"):
        encode_generator(np.random.Generator(Odd(1)), "x")
