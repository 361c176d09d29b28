"""The type of a compiled function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Kernel: TypeAlias = Callable[..., Any]
"""A compiled function on plain arrays."""
