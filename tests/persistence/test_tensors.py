from __future__ import annotations

import numpy as np
import pytest

from driftline.core.errors import InvalidInput, ModelFileError
from driftline.persistence.tensors import (
    decode_array,
    decode_records,
    decode_strings,
    dtype_named,
    encode_array,
    encode_strings,
)


class Shelf(dict):
    """A place for tensors."""

    def store(self, name, tensor):
        self[name] = tensor
        return name


@pytest.fixture
def shelf():
    return Shelf()


@pytest.mark.parametrize("name", ["<f8", "|b1", ">i4", "<c16", "<M8[25us]", "<m8", "<U3", "|S12"])
def test_plain_dtypes_have_names(name):
    assert dtype_named(name) == np.dtype(name)


@pytest.mark.parametrize(
    "name", ["|O", "O", "f8,f8", "<f16", "|V8", "<U0", "<U9999999999", "(3,)f8", "float64", 8, None, "<M8[x]"]
)
def test_fancier_dtypes_are_refused(name):
    with pytest.raises(ModelFileError, match="kind"):
        dtype_named(name)


@pytest.mark.parametrize(
    ("array", "held"),
    [
        (np.array(["2003-03-20"], "M8[D]"), "<i8"),
        (np.array([1 + 2j]), "<f8"),
        (np.array(["ab"]), "<u4"),
        (np.array([b"ab"]), "|u1"),
        (np.array([1], ">i2"), "<i2"),
    ],
)
def test_only_plain_little_endian_tensors_are_stored(array, held, shelf):
    node = encode_array(array, "x", shelf.store)
    assert shelf["x"].dtype.str == held
    assert decode_array(node, shelf.get).tolist() == array.tolist()


def test_a_tensor_of_another_shape_or_kind_is_refused(shelf):
    node = encode_array(np.zeros((2, 3)), "x", shelf.store)
    for wrong in (np.zeros((3, 2)), np.zeros((2, 3), np.float32), np.zeros(6)):
        with pytest.raises(ModelFileError, match="stored as"):
            decode_array(node, lambda name, wrong=wrong: wrong)


def test_impossible_truth_values_and_characters_are_refused(shelf):
    node = encode_array(np.array([True]), "x", shelf.store)
    with pytest.raises(ModelFileError, match="truth"):
        decode_array(node, lambda name: np.array([2], np.uint8).view(bool))
    node = encode_array(np.array(["a"]), "y", shelf.store)
    with pytest.raises(ModelFileError, match="characters"):
        decode_array(node, lambda name: np.array([[0x110000]], np.uint32))


def test_records_must_have_fields_of_one_shape(shelf):
    node = encode_array(np.zeros(3, dtype=[("a", "f8"), ("b", "i4")]), "x", shelf.store)
    shelf["x.b"] = np.zeros(2, "i4")
    node["fields"][1][1]["shape"] = [2]
    with pytest.raises(ModelFileError, match="inconsistent"):
        decode_records(node, shelf.get)


@pytest.mark.parametrize("offsets", [[0, 1], [1, 2, 3], [0, 9, 3], [], [[0, 3]], [0, 2, 1, 3]])
def test_offsets_of_strings_must_fit(offsets, shelf):
    node = encode_strings(["a", "bc"], "x", shelf.store)
    shelf["x.offsets"] = np.array(offsets, dtype=np.int64)
    with pytest.raises(ModelFileError, match="offsets"):
        decode_strings(node, shelf.get)


def test_gaps_and_shape_of_strings_must_fit(shelf):
    node = encode_array(np.array(["a", None], dtype=object), "x", shelf.store)
    with pytest.raises(ModelFileError, match="shape"):
        decode_strings(node | {"shape": [3]}, shelf.get)
    shelf["x.missing"] = np.zeros(3, np.uint8)
    with pytest.raises(ModelFileError, match="gaps"):
        decode_strings(node, shelf.get)


def test_numbers_among_strings_are_refused(shelf):
    with pytest.raises(InvalidInput, match=r"x: .*not int"):
        encode_strings(["a", 1], "x", shelf.store)


@pytest.mark.parametrize(
    "array",
    [
        np.array(["a", "\U0010ffff"]),
        np.array([b"a", b"z"]),
        np.array([[1 + 2j, 3j]], dtype=np.complex64),
        np.array(["", "abc"]),
        np.zeros((0, 2), dtype="U1"),
        np.array(True),
        np.array([True, False]),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.array(["2003-03", "NaT"], "M8[M]"),
    ],
    ids=lambda array: f"{array.dtype.str}{array.shape}",
)
def test_arrays_come_back_with_their_type_and_shape(array, shelf):
    """Among them strings of one character, whose width is one, and the last character there is."""
    found = decode_array(encode_array(array, "x", shelf.store), shelf.get)
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    assert found.tolist() == array.tolist()
