"""Tools for every page: an environment that escapes everything, and the asset files."""

from __future__ import annotations

from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from driftline.core.display import visible


def new_environment() -> Environment:
    """Return a Jinja environment that escapes everything and removes control characters.

    >>> new_environment().from_string("{{ text }}").render(text="<b>")
    '&lt;b&gt;'
    """
    return Environment(
        loader=PackageLoader("driftline.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def asset(name: str) -> str:
    """Return a style sheet or a script of the package."""
    return resources.files("driftline.report").joinpath("assets", name).read_text(encoding="utf-8")


def _finalize(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
