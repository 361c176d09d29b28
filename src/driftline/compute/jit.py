"""Numba's `njit` as driftline uses it: what was compiled is kept in a safe folder, or compiled again, but never fails.

Numba's own cache raises when no folder can be written, and trusts any folder that can. Here the folder comes from
`cache_folder`; a damaged entry, or a disk that is full, costs a compilation and nothing else.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
from collections.abc import Callable
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.dispatcher import Dispatcher

from driftline.compute.cache_folder import cache_folder


def njit(*, cache: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function when it is first called, with Numba's options; with ``cache=True`` keep what was compiled.

    >>> @njit(nogil=True)
    ... def add(a, b):
    ...     return a + b
    >>> add(1, 2)
    3
    """

    def decorate(function: Callable[..., Any]) -> Any:
        compiled = numba.njit(**options)(function)
        if cache and isinstance(compiled, Dispatcher):
            with contextlib.suppress(RuntimeError):  # no folder will do: compile in every process
                compiled._cache = _Cache(function)
        return compiled

    return decorate


@functools.lru_cache
def _stamp(path: str) -> bytes:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).digest()


class _Locator:
    """Tells Numba where the code of one function is kept, and which source it belongs to."""

    def __init__(self, function: Any, path: str, folder: str) -> None:
        self._py_file = path
        self._folder = folder
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: Any, path: str) -> _Locator | None:
        if not os.path.exists(path):  # what was typed in, or is in an archive
            return None
        folder = cache_folder(os.path.dirname(os.path.abspath(path)))
        return None if folder is None else cls(function, path, folder)

    def ensure_cache_path(self) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> bytes:
        return _stamp(self._py_file)

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Implementation(CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 (Numba's)


class _Cache(FunctionCache):
    """Numba's cache, for which nothing that happens to its files is an error."""

    _impl_class = _Implementation

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever a damaged file makes of itself
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception:
            self.disable()
