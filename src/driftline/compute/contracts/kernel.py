"""The types of compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

Kernel: TypeAlias = Callable[..., Any]
"""A compiled function on plain arrays."""


class LaunchedKernel(Protocol):
    """A kernel of a graphics processor, which is launched as ``kernel[blocks, threads, stream](*arguments)``."""

    def __getitem__(self, launch: tuple[object, ...]) -> Kernel:
        """Return the function that launches the kernel."""
