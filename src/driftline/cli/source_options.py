"""The options of every command that reads a source, declared once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from driftline.streams.stream import Stream

FORMATS = (
    "jsonl",
    "csv",
    "tsv",
    "mbox",
    "feed",
    "elasticsearch",
    "slack",
    "mastodon",
    "telegram",
    "parquet",
    "arrow",
    "spreadsheet",
    "sqlite",
    "eml",
    "text",
    "maildir",
    "git",
)
FILE_TIMES = ("auto", "name", "header", "mtime")
TIME_UNITS = ("s", "ms", "us", "ns", "d", "year", "yyyymmdd", "yyyymmddhhmmss", "excel", "excel1904")

_OPTIONS = (
    click.option("--time", metavar="COLUMN", help="Column with the time.  [default: found by its name]"),
    click.option("--text", metavar="COLUMN", help="Column with the text.  [default: found by its name]"),
    click.option("--label", metavar="COLUMN", help="Column with the label, if there is one."),
    click.option("--author", metavar="COLUMN", help="Column with the author: sender, account, source."),
    click.option("--thread", metavar="COLUMN", help="Column with the conversation to which a document belongs."),
    click.option("--id", metavar="COLUMN", help="Column with the document's id.  [default: its number]"),
    click.option(
        "--format", type=click.Choice(FORMATS), help="Format of SOURCE.  [default: detected from name and content]"
    ),
    click.option(
        "--on-error",
        type=click.Choice(["report", "raise"]),
        help="Report unusable records and continue, or stop at the first.  [default: report]",
    ),
    click.option("--reorder-within", metavar="DURATION", help="How late a document may arrive, such as 2h."),
    click.option(
        "--time-unit",
        type=click.Choice(TIME_UNITS),
        help="Unit of numeric times.  [default: inferred from their magnitude]",
    ),
    click.option("--dayfirst/--monthfirst", default=None, help="How to read 03/04/2003: 3 April, or March 4."),
    click.option("--timezone", metavar="NAME", help="Time zone of times without one, such as Europe/Berlin."),
    click.option("--encoding", metavar="NAME", help="Encoding of text files.  [default: UTF-8]"),
    click.option(
        "--file-time", type=click.Choice(FILE_TIMES), help="Where the time of a text file is.  [default: auto]"
    ),
    click.option("--drop-quotes", is_flag=True, default=None, help="Remove quoted text from emails."),
    click.option(
        "--sheet", metavar="NAME", help="Sheet of a spreadsheet, by name or number.  [default: the first that fits]"
    ),
    click.option("--table", metavar="NAME", help="Table or view of an SQLite file.  [default: the one with most text]"),
)

_NAMES = (
    "time",
    "text",
    "label",
    "author",
    "thread",
    "id",
    "format",
    "on_error",
    "reorder_within",
    "time_unit",
    "dayfirst",
    "timezone",
    "encoding",
    "file_time",
    "drop_quotes",
    "sheet",
    "table",
)


@dataclass(frozen=True)
class SourceArguments:
    """The source options given on the command line; the rest is left to `driftline.read`."""

    source: str
    options: dict[str, Any]

    def read(self) -> Stream:
        """Open the source."""
        import driftline

        found: Stream = driftline.read(self.source, **self.options)
        return found


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the argument SOURCE and the options that say how to read it.

    The command receives them as one `SourceArguments`, called `source`::

        @click.command()
        @source_options
        def read(source: SourceArguments) -> None: ...
    """

    @functools.wraps(command)
    def gathered(source: str, **given: Any) -> Any:
        reading = {name: given.pop(name) for name in _NAMES}
        chosen = {name: value for name, value in reading.items() if value is not None}
        return command(source=SourceArguments(source, chosen), **given)

    wrapped: Callable[..., Any] = gathered
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return click.argument("source", metavar="SOURCE")(wrapped)
