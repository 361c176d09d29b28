"""Discovery of the objects that the modules of a folder register: adding a file is enough."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def registered(package: ModuleType, kind: type[T]) -> list[T]:
    """Return every instance of a class at the top level of a module of the package, each once.

    Modules are imported in alphabetical order; an instance in several of them counts for the first.

    >>> import driftline.core
    >>> from driftline.core.times import TimeAxis
    >>> registered(driftline.core, TimeAxis)
    []
    """
    found: dict[int, T] = {}
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        found |= {id(value): value for value in vars(module).values() if isinstance(value, kind)}
    return list(found.values())
