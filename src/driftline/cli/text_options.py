"""The options of every command that counts text for a reader, declared once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

SOURCE_KINDS = ("auto", "posts", "mail", "commits", "headlines", "prose")
KEEP = (
    "all",
    "entities",
    "tags",
    "urls",
    "addresses",
    "domains",
    "ids",
    "retweets",
    "accounts",
    "headers",
    "attributions",
    "quotes",
    "greetings",
    "forwards",
    "signatures",
    "encoded",
    "diffs",
    "trailers",
    "boilerplate",
    "passages",
    "duplicates",
)
"""Kinds of things that are not counted, as `driftline.text.left_out` has them; it is not imported, to start fast."""

if TYPE_CHECKING:
    _ParamType = click.ParamType[Any]  # generic only since click 8.2
else:
    _ParamType = click.ParamType


class StopWords(_ParamType):
    """``auto``, ``none``, the code of a language, or a file with one word per line."""

    name = "stop words"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return "auto", None, a language, or the words of a file."""
        from driftline.core.errors import InvalidInput
        from driftline.text.stopwords import read_stop_words, stop_words_of

        if value in ("auto", None):
            return value
        if value == "none":
            return ()
        if Path(value).is_file():
            return read_stop_words(Path(value))
        try:
            stop_words_of(value)
        except InvalidInput as error:
            self.fail(f"{value!r} is neither a file nor a language with a list of stop words; {error}", param, ctx)
        return value


stop_words_option = click.option(
    "--stop-words",
    type=StopWords(),
    metavar="auto|none|CODE|FILE",
    default="auto",
    show_default=True,
    help="Words not counted: those of the language found, none, those of a language (de), or a file's, one a line.",
)

_OPTIONS = (
    click.option(
        "--source-kind",
        type=click.Choice(SOURCE_KINDS),
        default="auto",
        show_default=True,
        help="What the documents are; it decides what of them is not counted.",
    ),
    click.option(
        "--keep",
        type=click.Choice(KEEP),
        metavar="KIND",
        multiple=True,
        help="Count what would be left out: urls, quotes, boilerplate, duplicates, …, or all; may be repeated.",
    ),
    stop_words_option,
)


@dataclass(frozen=True)
class TextArguments:
    """What was said on the command line about the text."""

    source_kind: str
    keep: tuple[str, ...]
    stop_words: Any

    @property
    def options(self) -> dict[str, Any]:
        """The keywords of `driftline.streams.preparation.prepare`."""
        return {"source_kind": self.source_kind, "keep": self.keep, "stop_words": self.stop_words}


def text_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that say what is counted; it receives them as one `TextArguments`, called `text`."""

    @functools.wraps(command)
    def gathered(source_kind: str, keep: tuple[str, ...], stop_words: Any, **given: Any) -> Any:
        return command(text=TextArguments(source_kind, keep, stop_words), **given)

    wrapped: Callable[..., Any] = gathered
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped
