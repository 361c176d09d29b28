"""A device that is none: it writes down which kernels were called, and lets the processor do the work."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import sys
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

from driftline.compute import cpu, devices, register_device


class Stub(NamedTuple):
    """The name under which the device is registered, and the kernels that were called so far, as module.function."""

    name: str
    calls: list[str]


@contextlib.contextmanager
def stub_device(name: str = "stub", **replaced: dict[str, Any]) -> Iterator[Stub]:
    """Register the device for a block; `replaced` contains its own functions, by module and name."""
    calls: list[str] = []
    package = f"driftline_device_{name}"
    made = {package: types.ModuleType(package)}
    for found in pkgutil.iter_modules(cpu.__path__):
        original = importlib.import_module(f"driftline.compute.cpu.{found.name}")
        module = types.ModuleType(f"{package}.{found.name}")
        for attribute, value in {**vars(original), **replaced.get(found.name, {})}.items():
            if not attribute.startswith("__"):
                recorded = _recorded(value, f"{found.name}.{attribute}", calls) if callable(value) else value
                setattr(module, attribute, recorded)
        made[module.__name__] = module
    sys.modules.update(made)
    register_device(name, package)
    try:
        yield Stub(name, calls)
    finally:
        del devices._devices[name]
        for module_name in made:
            del sys.modules[module_name]


def _recorded(function: Any, name: str, calls: list[str]) -> Any:
    def call(*arguments: Any, **named: Any) -> Any:
        calls.append(name)
        return function(*arguments, **named)

    return call
