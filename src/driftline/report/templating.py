"""Tools for every page: an environment that escapes everything, and the asset files."""

from __future__ import annotations

from importlib import resources
from types import CodeType

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.bccache import Bucket
from jinja2.runtime import Context
from markupsafe import Markup

from driftline.core.display import visible


class _CompiledTemplates(BytecodeCache):
    """The code of the templates compiled by this process: every page has an environment of its own."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give the template the code that was compiled before, if any."""
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template that was compiled."""
        self._codes[bucket.key, bucket.checksum] = bucket.code


_COMPILED = _CompiledTemplates()


def new_environment() -> Environment:
    """Return a Jinja environment that escapes everything and removes control characters.

    >>> new_environment().from_string("{{ text }}").render(text="<b>")
    '&lt;b&gt;'
    """
    return Environment(
        loader=PackageLoader("driftline.report"),
        autoescape=True,
        bytecode_cache=_COMPILED,
        optimized=False,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def asset(name: str) -> str:
    """Return a style sheet or a script of the package."""
    return resources.files("driftline.report").joinpath("assets", name).read_text(encoding="utf-8")


@pass_context
def _finalize(_: Context, value: object) -> object:
    """Return a value as it is shown.

    Together with `optimized`, the context keeps Jinja from applying the filters of one page to constants of a template
    once and for all pages.
    """
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
