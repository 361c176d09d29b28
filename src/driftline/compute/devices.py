"""Devices and their kernels: callers name a kernel, never the device that it runs on.

A device is a package whose modules and functions are those of `driftline.compute.contract`. Work runs on the current
device: the processor, unless a block says otherwise (`on_device`) or the engine that runs the work does.
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
_current: ContextVar[str] = ContextVar("device", default=DEFAULT_DEVICE)


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


_devices: dict[str, _Modules] = {DEFAULT_DEVICE: _Modules(DEFAULT_DEVICE, "driftline.compute.cpu")}


def register_device(name: str, package: str) -> None:
    """Make the kernels of a package known as those of the device `name`."""
    _devices[name] = _Modules(name, package)


def current_device() -> str:
    """Return the name of the device on which work runs here.

    >>> current_device()
    'cpu'
    """
    return _current.get()


def kernels(device: str | None = None) -> KernelSet:
    """Return the kernels of a device, by default the current one.

    >>> kernels().lda_memory.padded(50)
    64
    """
    return cast("KernelSet", _devices[_current.get() if device is None else checked_device(device)])


@contextlib.contextmanager
def on_device(name: str) -> Iterator[None]:
    """Run the kernels of everything inside the block on a device.

    >>> with on_device("cpu"):
    ...     current_device()
    'cpu'
    """
    token = _current.set(checked_device(name))
    try:
        yield
    finally:
        _current.reset(token)


def call_on(device: str, function: Callable[..., R], *arguments: Any) -> R:
    """Call a function on a device: what an engine does in a thread or a process that does not know the caller's."""
    with on_device(device):
        return function(*arguments)


def checked_device(name: str) -> str:
    """Return the name of a device that there is."""
    if name not in _devices:
        raise InvalidInput(f"there is no device {name!r}; there are {', '.join(map(repr, _devices))}")
    return name
