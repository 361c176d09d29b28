"""Small values that JSON lacks, as JSON nodes: NumPy scalars, dates, random generators, and so on.

A node is a JSON object with the kind of value under ``"$"``.
"""

from __future__ import annotations

import base64
import datetime
import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from driftline.core.errors import InvalidInput, ModelFileError
from driftline.persistence.tensors import Node, dtype_named

BUILTIN_TYPES = {kind.__name__: kind for kind in (bool, int, float, complex, str, bytes)}
NUMPY_TYPES = {
    kind.__name__: kind
    for kind in (
        *(np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64),
        *(np.float16, np.float32, np.float64, np.complex64, np.complex128, np.str_, np.bytes_),
    )
}
BIT_GENERATORS = {
    kind.__name__: kind
    for kind in (np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64)
}


def encode_float(value: float) -> float | Node:
    """Return a finite float unchanged, and a node for the others, which JSON cannot represent."""
    return value if math.isfinite(value) else {"$": "float", "value": repr(value)}


def encode_scalar(value: np.generic, where: str) -> Node:
    """Return a NumPy scalar as a node with its type."""
    kind, name = value.dtype.kind, value.dtype.str
    plain: object
    if kind in "mM":
        plain = int(value.view(np.int64))
    elif kind == "S":
        plain = base64.b64encode(value.item()).decode("ascii")
    elif kind == "U":
        plain = str(value)
    elif kind in "biuf" and value.dtype.itemsize <= 8:
        plain = encode_float(value.item()) if kind == "f" else value.item()
    elif kind == "c" and value.dtype.itemsize <= 16:
        plain = [encode_float(float(value.real)), encode_float(float(value.imag))]
    else:
        raise InvalidInput(
            f"cannot save {where}: a scalar of {value.dtype} cannot be stored in a model file; convert it"
        )
    return {"$": "scalar", "dtype": name, "value": plain}


def decode_scalar(node: Node) -> object:
    """Decode a NumPy scalar."""
    dtype, plain = dtype_named(node["dtype"]), node["value"]
    if dtype.kind in "mM":
        return np.array(plain, dtype=np.int64).view(dtype)[()]
    if dtype.kind == "S":
        return np.bytes_(base64.b64decode(plain, validate=True))
    if dtype.kind == "U":
        return np.str_(_a(str, plain))
    if dtype.kind == "c":
        return dtype.type(complex(*map(decode_number, plain)))
    return np.array(decode_number(plain), dtype=dtype)[()]


def decode_number(plain: object) -> Any:
    """Return a number that may be a node for NaN or infinity."""
    return decode_float(plain) if isinstance(plain, dict) else plain


def decode_float(node: Node) -> float:
    """Decode NaN or an infinity."""
    if node["value"] not in ("nan", "inf", "-inf"):
        raise ModelFileError(f"the model contains the number {node['value']!r}; it is damaged")
    return float(node["value"])


def encode_moment(value: datetime.date | datetime.timedelta, where: str) -> Node:
    """Return a date, a date with time, or a duration of the standard library as a node."""
    if isinstance(value, datetime.timedelta):
        return {"$": "timedelta", "value": [value.days, value.seconds, value.microseconds]}
    if isinstance(value, datetime.datetime):
        if not (value.tzinfo is None or isinstance(value.tzinfo, datetime.timezone)):
            raise InvalidInput(
                f"cannot save {where}: the time zone {value.tzinfo} is not kept; convert the time to UTC"
            )
        return {"$": "datetime", "value": value.isoformat()}
    return {"$": "date", "value": value.isoformat()}


def encode_generator(value: np.random.Generator | np.random.RandomState, where: str) -> Node:
    """Return the complete state of a random generator as a node, so that it continues where it stopped."""
    bits = value._bit_generator if isinstance(value, np.random.RandomState) else value.bit_generator
    kind = type(bits).__name__
    if BIT_GENERATORS.get(kind) is not type(bits):
        raise InvalidInput(f"cannot save {where}: the bit generator {kind} is not one of {', '.join(BIT_GENERATORS)}")
    node = {"$": "generator", "bits": kind, "state": _plain(bits.state)}
    if isinstance(value, np.random.RandomState):
        state = value.get_state(legacy=False)
        return node | {"legacy": [int(state["has_gauss"]), encode_float(float(state["gauss"]))]}
    seeds = bits.seed_seq
    if isinstance(seeds, np.random.SeedSequence):
        node["seeds"] = {
            "entropy": _plain(seeds.entropy),
            "spawn_key": list(seeds.spawn_key),
            "pool_size": seeds.pool_size,
            "n_children_spawned": seeds.n_children_spawned,
        }
    return node


def decode_generator(node: Node) -> np.random.Generator | np.random.RandomState:
    """Return a random generator that continues where the saved one stopped."""
    kind = BIT_GENERATORS[node["bits"]]
    seeds = node.get("seeds")
    if seeds is not None and not (isinstance(seeds["pool_size"], int) and 4 <= seeds["pool_size"] <= 1024):
        raise ModelFileError("the seeds of a random generator are invalid; the model is damaged")
    bits: np.random.BitGenerator = kind(0) if seeds is None else kind(np.random.SeedSequence(**seeds))
    state = dict(node["state"])
    inner = dict(state["state"])
    for name in ("key", "counter"):
        if isinstance(inner.get(name), list):
            inner[name] = np.array(inner[name], dtype=np.uint32 if node["bits"] == "MT19937" else np.uint64)
    if node["bits"] == "SFC64":
        inner["state"] = np.array(inner["state"], dtype=np.uint64)
    if "buffer" in state:
        state["buffer"] = np.array(state["buffer"], dtype=np.uint64)
    bits.state = state | {"state": inner}
    if "legacy" not in node:
        return np.random.Generator(bits)
    legacy = np.random.RandomState(bits)
    has_gauss, gauss = node["legacy"]
    legacy.set_state(legacy.get_state(legacy=False) | {"has_gauss": _a(int, has_gauss), "gauss": decode_number(gauss)})
    return legacy


def _plain(value: object) -> object:
    """Turn the arrays and NumPy integers of a generator's state into lists and integers."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value.item() if isinstance(value, np.generic) else value


V = TypeVar("V")


def _a(kind: type[V], value: object) -> V:
    if type(value) is not kind:
        raise ModelFileError(f"the model contains {value!r} instead of a {kind.__name__}; it is damaged")
    return value


def _decode_dtype_class(node: Node) -> type:
    return {**BUILTIN_TYPES, **NUMPY_TYPES}[node["name"]]


SIMPLE_NODES: dict[str, Callable[[Node], object]] = {
    "float": decode_float,
    "scalar": decode_scalar,
    "complex": lambda node: complex(*map(decode_number, node["value"])),
    "bytes": lambda node: base64.b64decode(node["value"], validate=True),
    "dtype": lambda node: dtype_named(node["name"]),
    "type": _decode_dtype_class,
    "timedelta": lambda node: datetime.timedelta(*(_a(int, part) for part in node["value"])),
    "datetime": lambda node: datetime.datetime.fromisoformat(node["value"]),
    "date": lambda node: datetime.date.fromisoformat(node["value"]),
    "range": lambda node: range(*(_a(int, part) for part in node["value"])),
    "generator": decode_generator,
}
"""Decoder of every kind of node without child nodes."""
