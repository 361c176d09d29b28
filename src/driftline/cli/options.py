"""Arguments and options that several commands have, and the types of paths."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

FILE = click.Path(dir_okay=False, path_type=Path)
"""A path that is not a folder; it need not exist."""
FOLDER = click.Path(file_okay=False, path_type=Path)
"""A path that is not a file; it need not exist."""
EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
EXISTING_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)

F = TypeVar("F", bound=Callable[..., object])

saved_model = click.argument("model", type=EXISTING_FOLDER)
"""The folder of a saved model as the first argument of a command."""


def setting(*names: str, default: object, **declared: Any) -> Callable[[F], F]:
    """Return a click option whose default the help shows."""
    return click.option(*names, default=default, show_default=True, **declared)
