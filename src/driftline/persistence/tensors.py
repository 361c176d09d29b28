"""Arrays of all plain types as tensors of the few types that safetensors supports, and back.

Dates and durations are stored as 64-bit integers, fixed-width strings as code points, complex numbers as pairs, records
as one array per field; arrays of Python strings (and None) as UTF-8 bytes with offsets.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from driftline.core.errors import InvalidInput, ModelFileError

Node = dict[str, Any]
Store = Callable[[str, np.ndarray], str]
"""Function that stores a tensor under a name and returns the name."""
Fetch = Callable[[Any], np.ndarray]
"""Function that returns the tensor of a name."""

_PLAIN = re.compile(r"\|b1|\|[iu]1|[<>]([iuf][248]|c8|c16)")
_DATE = re.compile(r"[<>][mM]8(\[\d{0,9}(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?")
_STRING = re.compile(r"[<>]U[1-9]\d{0,8}|\|S[1-9]\d{0,8}")
_LAST_CODE_POINT = 0x10FFFF


def dtype_named(name: object) -> np.dtype:
    """Return the dtype of a name such as ``"<f8"`` or ``"<M8[us]"``; no other dtypes are accepted."""
    if not isinstance(name, str) or not any(kind.fullmatch(name) for kind in (_PLAIN, _DATE, _STRING)):
        raise ModelFileError(
            f"the model contains an array of the unknown kind {name!r}; it is damaged or was tampered with"
        )
    return np.dtype(name)


def encode_array(array: np.ndarray, where: str, store: Store) -> Node:
    """Store an array as tensors and return the node for decoding it."""
    array = np.asarray(array)
    if array.dtype.names is not None:
        fields = [[name, encode_array(array[name], f"{where}.{name}", store)] for name in array.dtype.names]
        return {"$": "records", "fields": fields}
    if array.dtype.kind == "O":
        return encode_strings(array.reshape(-1).tolist(), where, store) | {"shape": list(array.shape)}
    if not any(kind.fullmatch(array.dtype.str) for kind in (_PLAIN, _DATE, _STRING)):
        raise InvalidInput(f"cannot save {where}: arrays of {array.dtype} cannot be stored in a model file; convert it")
    turned = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
    tensor = _as_tensor(array.T if turned else array)
    node = {"$": "array", "dtype": array.dtype.str, "shape": list(array.shape), "tensor": store(where, tensor)}
    return node | {"order": "F"} if turned else node


def decode_array(node: Node, fetch: Fetch) -> np.ndarray:
    """Decode an array."""
    dtype, shape = dtype_named(node["dtype"]), _shape(node["shape"])
    turned = node.get("order") == "F"
    array = _from_tensor(fetch(node["tensor"]), dtype, shape[::-1] if turned else shape)
    return array.T if turned else array


def decode_records(node: Node, fetch: Fetch) -> np.ndarray:
    """Decode a record array from its fields."""
    fields = [(name, decode_array(part, fetch)) for name, part in node["fields"]]
    shapes = {array.shape for _, array in fields}
    if len(shapes) != 1 or not all(isinstance(name, str) for name, _ in fields):
        raise ModelFileError("the fields of a record array are inconsistent; the model is damaged")
    records = np.empty(shapes.pop(), dtype=[(name, array.dtype) for name, array in fields])
    for name, array in fields:
        records[name] = array
    return records


def encode_strings(values: list[Any], where: str, store: Store) -> Node:
    """Store strings (and None) as concatenated UTF-8 bytes with offsets."""
    wrong = next((value for value in values if not (value is None or type(value) is str)), None)
    if wrong is not None:
        raise InvalidInput(
            f"cannot save {where}: an array of Python objects may contain only strings and None, "
            f"not {type(wrong).__name__}; use a list, or an array of one plain kind"
        )
    # Lone surrogates are legal in Python strings, and occur in file names.
    encoded = [b"" if value is None else value.encode("utf-8", "surrogatepass") for value in values]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(one) for one in encoded], out=offsets[1:])
    node = {
        "$": "strings",
        "bytes": store(f"{where}.bytes", np.frombuffer(b"".join(encoded), dtype=np.uint8)),
        "offsets": store(f"{where}.offsets", offsets),
    }
    if None in values:
        node["missing"] = store(f"{where}.missing", np.array([value is None for value in values], dtype=np.uint8))
    return node


def decode_strings(node: Node, fetch: Fetch) -> list[str | None] | np.ndarray:
    """Decode strings: as a list, or as an object array if the node has a shape."""
    offsets, text = fetch(node["offsets"]), fetch(node["bytes"]).tobytes()
    whole = offsets.dtype == np.int64 and offsets.ndim == 1 and len(offsets) > 0
    if not whole or offsets[0] != 0 or offsets[-1] != len(text) or (offsets[1:] < offsets[:-1]).any():
        raise ModelFileError("the offsets of an array of strings do not match its text; the model is damaged")
    bounds = offsets.tolist()
    values: list[str | None] = [text[a:b].decode("utf-8", "surrogatepass") for a, b in itertools.pairwise(bounds)]
    if "missing" in node:
        missing = fetch(node["missing"])
        if missing.shape != (len(values),):
            raise ModelFileError("the gaps of an array of strings do not match its length; the model is damaged")
        values = [None if gone else value for value, gone in zip(values, missing.tolist())]
    if "shape" not in node:
        return values
    shape = _shape(node["shape"])
    if math.prod(shape) != len(values):
        raise ModelFileError(f"an array of {len(values)} strings claims the shape {shape}; the model is damaged")
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array.reshape(shape)


def _held_as(dtype: np.dtype) -> tuple[np.dtype, int]:
    """Return the tensor type for an array of this type, and the number of tensor values per array value."""
    if dtype.kind in "mM":
        return np.dtype("<i8"), 1
    if dtype.kind == "c":
        return np.dtype(f"<f{dtype.itemsize // 2}"), 2
    if dtype.kind in "US":
        held = np.dtype("<u4" if dtype.kind == "U" else "|u1")
        return held, dtype.itemsize // held.itemsize
    return dtype.newbyteorder("<"), 1


def _as_tensor(array: np.ndarray) -> np.ndarray:
    held, width = _held_as(array.dtype)
    array = array.astype(array.dtype.newbyteorder("<"), copy=False)
    array = array if array.flags.c_contiguous else array.copy(order="C")
    return array.view(held) if width == 1 and array.dtype.kind not in "USc" else array[..., None].view(held)


def _from_tensor(tensor: np.ndarray, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    held, width = _held_as(dtype)
    wide = dtype.kind in "USc"
    expected = (*shape, width) if wide else shape
    if tensor.dtype != held or tensor.shape != expected:
        raise ModelFileError(
            f"an array of {dtype} {expected} is stored as {tensor.dtype} {tensor.shape}; the model is damaged"
        )
    if dtype.kind == "U" and tensor.size and tensor.max() > _LAST_CODE_POINT:
        raise ModelFileError("an array of strings contains invalid characters; the model is damaged")
    if dtype.kind == "b" and tensor.size and tensor.view(np.uint8).max() > 1:
        raise ModelFileError("an array of truth values contains other values; the model is damaged")
    array = tensor.view(dtype.newbyteorder("<"))
    return (array.reshape(shape) if wide else array).astype(dtype, copy=False)


def _shape(shape: object) -> tuple[int, ...]:
    if not isinstance(shape, list) or not all(type(n) is int and 0 <= n < 2**62 for n in shape) or len(shape) > 32:
        raise ModelFileError(f"an array claims the shape {shape!r}; the model is damaged")
    return tuple(shape)
