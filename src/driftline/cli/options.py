"""Options of commands: options whose default the help shows, and the types of paths."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

FILE = click.Path(dir_okay=False, path_type=Path)
"""A path that is not a folder; it need not exist."""
FOLDER = click.Path(file_okay=False, path_type=Path)
"""A path that is not a file; it need not exist."""

F = TypeVar("F", bound=Callable[..., Any])


def setting(*names: str, default: object, **declared: Any) -> Callable[[F], F]:
    """Return a click option whose default the help shows."""
    return click.option(*names, default=default, show_default=True, **declared)
