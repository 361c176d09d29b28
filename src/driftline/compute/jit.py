"""Numba's `njit` with a safe cache folder: code that cannot be cached is compiled again, without an error.

Numba's own cache raises when no folder can be written, and trusts any folder that can. Here the folder comes from
`cache_folder`, and files from `code_files`; a damaged file or a full disk costs only a compilation.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numba
from numba.core import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.dispatcher import Dispatcher

from driftline.compute.cache_folder import cache_folder
from driftline.compute.code_files import CodeFiles


def njit(*, cache: bool = False, **options: object) -> Callable[[Callable[..., object]], Any]:
    """Compile a function when it is first called, with Numba's options; with ``cache=True``, cache its code.

    >>> @njit(nogil=True)
    ... def add(a, b):
    ...     return a + b
    >>> add(1, 2)
    3
    """

    def decorate(function: Callable[..., object]) -> Any:
        compiled = numba.njit(**options)(function)
        if not isinstance(compiled, Dispatcher):
            return compiled
        compiled.get_call_template = _without_literals(compiled.get_call_template)
        if cache:
            with contextlib.suppress(RuntimeError):  # no suitable folder: compile in every process
                compiled._cache = _Cache(function)
        return compiled

    return decorate


def _without_literals(template: Callable[..., object]) -> Callable[..., object]:
    """Let calls from other compiled functions have the types of variables.

    In ``count = 0``, Numba first infers the literal 0, which has a type of its own. A function that is called with
    `count` would be compiled for that type, and again once a loop has turned `count` into a variable.
    """

    def of_variables(args: tuple[types.Type, ...], kws: dict[str, types.Type]) -> Any:
        return template(
            tuple(types.unliteral(each) for each in args), {name: types.unliteral(each) for name, each in kws.items()}
        )

    return of_variables


@functools.lru_cache
def _stamp(path: str) -> bytes:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).digest()


class _Locator:
    """Locator of the cached code of one function, and of its source, for Numba."""

    def __init__(self, function: FunctionType, path: str, folder: str) -> None:
        self._py_file = path
        self._folder = folder
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: FunctionType, path: str) -> _Locator | None:
        if not os.path.exists(path):  # source that was entered interactively, or is in an archive
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
    """Numba's cache with other files, in which no problem with files is an error."""

    _impl_class = _Implementation

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._cache_file = CodeFiles(self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file may raise any error
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception:
            self.disable()
