"""The options of every command that counts words, declared once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftline.cli.options import setting

SOURCE_KINDS = ("auto", "posts", "mail", "commits", "headlines", "prose", "logs")
KEEP = (
    "all",
    "entities",
    "tags",
    "roles",
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
    "notices",
    "copyrights",
    "placeholders",
    "encoded",
    "diffs",
    "trailers",
    "merges",
    "boilerplate",
    "passages",
    "duplicates",
)
"""Kinds of excluded text, as in `driftline.text.left_out`, which is not imported here for a fast start."""

if TYPE_CHECKING:
    from driftline.streams.preparation import Preparation
    from driftline.text.stopwords import StopWordChoice

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
            self.fail(f"{value!r} is neither a file nor a language with a stop word list; {error}", param, ctx)
        return value


stop_words_option = setting(
    "--stop-words",
    type=StopWords(),
    metavar="auto|none|CODE|FILE",
    default="auto",
    help="Stop words: those of the detected language, none, those of a given language (de), or a file with "
    "one per line.",
)

_OPTIONS = (
    setting(
        "--source-kind",
        type=click.Choice(SOURCE_KINDS),
        default="auto",
        help="Kind of documents, which determines the parts that are not counted.",
    ),
    click.option(
        "--keep",
        type=click.Choice(KEEP),
        metavar="KIND",
        multiple=True,
        help="Count a kind of text that is left out by default: urls, quotes, boilerplate, duplicates, …, or "
        "all; may be repeated.",
    ),
    stop_words_option,
)


@dataclass(frozen=True)
class TextArguments:
    """The text options given on the command line."""

    source_kind: str
    keep: tuple[str, ...]
    stop_words: StopWordChoice

    @property
    def options(self) -> Preparation:
        """The keywords of `driftline.streams.preparation.prepare`."""
        return {"source_kind": self.source_kind, "keep": self.keep, "stop_words": self.stop_words}


def text_options(command: Callable[..., object]) -> Callable[..., object]:
    """Give a command the options for what is counted; it receives them as one `TextArguments`, called `text`."""

    @functools.wraps(command)
    def gathered(source_kind: str, keep: tuple[str, ...], stop_words: StopWordChoice, **given: object) -> object:
        return command(text=TextArguments(source_kind, keep, stop_words), **given)

    wrapped: Callable[..., object] = gathered
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped
