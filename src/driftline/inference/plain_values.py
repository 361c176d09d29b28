"""States as values: copied, decomposed into named arrays, reassembled, and compared by a digest.

A value is an array, here or in the memory of a device, a number, a string or None, or a tuple, named tuple or
dictionary of values. Its structure is fixed by the method; only the shapes of arrays and the numbers in them change
from step to step.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeGuard, TypeVar

import numpy as np

from driftline.core.errors import InvalidInput

T = TypeVar("T")
Arrays = dict[str, np.ndarray]
"""Arrays by the path that leads to them, such as ``"counts.0"``."""


class _Elsewhere(Protocol):
    """An array in the memory of a device."""

    def copy_to_host(self) -> np.ndarray: ...


def copied(value: T) -> T:
    """Return a value that shares no array with the given one.

    >>> state = (np.zeros(2), 3)
    >>> other = copied(state)
    >>> other[0][0] = 1.0
    >>> state
    (array([0., 0.]), 3)
    """
    found: Any = value
    if isinstance(value, np.ndarray):
        found = value.copy()
    elif _is_elsewhere(value):
        found = _fetched(value)
    elif isinstance(value, tuple):
        found = _like(value, [copied(part) for part in value])
    elif isinstance(value, dict):
        found = {name: copied(part) for name, part in value.items()}
    alike: T = found
    return alike


def flatten(value: object, path: str = "") -> Arrays:
    """Return all arrays of a value by their paths; numbers are arrays without dimensions, strings their UTF-8 bytes.

    >>> flatten({"a": (np.arange(2), 7), "b": None})
    {'a.0': array([0, 1]), 'a.1': array(7)}
    """
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return {path: value}
    if isinstance(value, np.generic):
        return {path: np.asarray(value)}
    if _is_elsewhere(value):
        return {path: _fetched(value)}
    if isinstance(value, str):
        return {path: np.frombuffer(value.encode(), dtype=np.uint8)}
    if isinstance(value, bool | int | float):
        return {path: np.asarray(value)}
    if value is None:
        return {}
    found: Arrays = {}
    for name, part in _parts(value, path):
        found.update(flatten(part, f"{path}.{name}" if path else name))
    return found


def rebuild(template: T, arrays: Mapping[str, np.ndarray], path: str = "") -> T:
    """Return the value whose arrays these are; `template` is any value of the same structure.

    >>> rebuild((np.zeros(1, dtype=int), 0), {"0": np.array([5, 6]), "1": np.array(7)})
    (array([5, 6]), 7)
    """
    found: Any
    if _is_elsewhere(template):
        template = _fetched(template)
    if template is None:
        found = None
    elif isinstance(template, np.ndarray | np.generic | bool | int | float | str):
        found = _leaf(template, arrays, path)
    elif isinstance(template, tuple | dict):
        parts = [rebuild(part, arrays, f"{path}.{name}" if path else name) for name, part in _parts(template, path)]
        found = _like(template, parts) if isinstance(template, tuple) else dict(zip(template, parts))
    else:
        raise _no_value(template, path)
    alike: T = found
    return alike


def digest(value: object) -> str:
    """Return a fingerprint of all numbers of a value, with their types, shapes and paths.

    >>> digest((1, np.zeros(2))) == digest((1, np.zeros(2))) != digest((1, np.zeros((1, 2))))
    True
    """
    found = hashlib.blake2b(digest_size=16)
    for path, array in flatten(value).items():
        found.update(f"{path} {array.dtype.str} {array.shape};".encode())
        found.update(np.ascontiguousarray(array).data)
    return found.hexdigest()


def _is_elsewhere(value: object) -> TypeGuard[_Elsewhere]:
    """Return whether a value is an array in the memory of a device."""
    return hasattr(value, "copy_to_host")


def _fetched(value: _Elsewhere) -> np.ndarray:
    return np.array(value.copy_to_host())


def _leaf(template: Any, arrays: Mapping[str, np.ndarray], path: str) -> Any:
    if path not in arrays:
        raise InvalidInput(f"the state has no part {path!r}; it was written by another method or version")
    array, wanted = np.asarray(arrays[path]), np.asarray(template)
    if isinstance(template, str):
        return bytes(array.astype(np.uint8)).decode()
    if array.dtype != wanted.dtype or array.ndim != wanted.ndim:
        raise InvalidInput(
            f"part {path!r} of the state is {array.ndim}-dimensional {array.dtype}, not {wanted.ndim}-dimensional "
            f"{wanted.dtype}; it was written by another method or version"
        )
    return array.copy() if isinstance(template, np.ndarray) else type(template)(array.item())


def _parts(value: object, path: str) -> list[tuple[str, object]]:
    if isinstance(value, dict):
        return [(str(name), part) for name, part in value.items()]
    if isinstance(value, tuple):
        return list(zip(getattr(value, "_fields", map(str, range(len(value)))), value))
    raise _no_value(value, path)


def _like(value: tuple[object, ...], parts: Sequence[object]) -> object:
    kind: Callable[..., object] = type(value)
    return kind(*parts) if hasattr(value, "_fields") else tuple(parts)


def _no_value(value: object, path: str) -> InvalidInput:
    kind = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
    return InvalidInput(
        f"{path or 'the state'} is {kind}; a state contains tuples and dictionaries of numbers and arrays"
    )
