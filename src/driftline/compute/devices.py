"""Devices and their kernels: callers name a kernel, never the device that it runs on.

A device is a package whose modules and functions are those of `driftline.compute.contract`. Work runs on the current
device: the processor, unless a block (`on_device`) or the engine that runs the work selects another.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeVar, cast

from driftline.core.errors import InvalidInput

if TYPE_CHECKING:
    from driftline.compute.contract import KernelSet

R = TypeVar("R")
DEFAULT_DEVICE = "cpu"


class _Modules:
    """The kernels of one device; a module is imported when it is first used."""

    def __init__(self, device: str, package: str) -> None:
        self._device = device
        self._package = package

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        path = f"{self._package}.{name}"
        try:
            module = importlib.import_module(path)
        except ModuleNotFoundError as error:
            if error.name != path:
                raise
            raise InvalidInput(
                f"the device {self._device!r} has no kernels for {name}; use {DEFAULT_DEVICE!r}"
            ) from None
        setattr(self, name, module)
        return module


_devices: dict[str, _Modules] = {
    DEFAULT_DEVICE: _Modules(DEFAULT_DEVICE, "driftline.compute.cpu"),
    "gpu": _Modules("gpu", "driftline.compute.gpu"),
}
_current: ContextVar[_Modules] = ContextVar("device", default=_devices[DEFAULT_DEVICE])

current_kernels = cast("Callable[[], KernelSet]", _current.get)
"""The kernels of the current device; hot loops fetch them, so this is the compiled accessor of the variable itself."""


def register_device(name: str, package: str) -> None:
    """Register the kernels of a package as those of the device `name`."""
    _devices[name] = _Modules(name, package)


def current_device() -> str:
    """Return the name of the device on which work runs here.

    >>> current_device()
    'cpu'
    """
    return _current.get()._device


def kernels(device: str | None = None) -> KernelSet:
    """Return the kernels of a device, by default the current one.

    >>> kernels().lda_memory.padded(50)
    64
    """
    return current_kernels() if device is None else cast("KernelSet", _devices[checked_device(device)])


@contextlib.contextmanager
def on_device(name: str) -> Iterator[None]:
    """Run all kernels inside the block on a device.

    >>> with on_device("cpu"):
    ...     current_device()
    'cpu'
    """
    token = _current.set(_devices[checked_device(name)])
    try:
        yield
    finally:
        _current.reset(token)


def call_on(device: str, function: Callable[..., R], *arguments: object) -> R:
    """Call a function on a device, for an engine in a thread or process without the caller's device."""
    with on_device(device):
        return function(*arguments)


def check_device(name: str) -> Any:
    """Raise an error with the reason if a device cannot be used; otherwise return its description, or None.

    >>> check_device("cpu")
    """
    package = _devices[checked_device(name)]._package
    try:
        driver = importlib.import_module(f"{package}.driver")
    except ModuleNotFoundError as error:
        if error.name != f"{package}.driver":
            raise
        return None
    return driver.check()


def checked_device(name: str) -> str:
    """Return the name of a device after checking that it exists."""
    if name not in _devices:
        raise InvalidInput(f"there is no device {name!r}; the devices are {', '.join(map(repr, _devices))}")
    return name
