"""The options of every command that reads a source, declared once."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from driftline.cli.conventions import with_options
from driftline.core.progress import announce

if TYPE_CHECKING:
    from driftline.streams.stream import Stream

FORMATS = (
    "jsonl",
    "csv",
    "tsv",
    "mbox",
    "feed",
    "gitlog",
    "log",
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


class ReadingOption(click.Option):
    """An option for reading SOURCE."""


class SourceCommand(click.Command):
    """A command that analyses SOURCE: its help explains its own options, and only lists those for reading."""

    def invoke(self, ctx: click.Context) -> object:
        """Announce the start at once, since loading the libraries may take seconds, then run the command."""
        announce("Loading ...")
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's own options, then the names of those for reading, which every such command has."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        own = [each.get_help_record(ctx) for each in options if not isinstance(each, ReadingOption)]
        with formatter.section("Options"):
            formatter.write_dl([record for record in own if record is not None])
        reading = [each for each in options if isinstance(each, ReadingOption)]
        names = " ".join(name for each in reading for name in (*each.opts, *each.secondary_opts))
        with formatter.section("Options for reading SOURCE, explained by 'driftline read --help'"):
            indent = " " * formatter.current_indent
            lines = textwrap.wrap(names, formatter.width - len(indent), break_on_hyphens=False)
            formatter.write("".join(f"{indent}{line}\n" for line in lines))


_reading = functools.partial(click.option, cls=ReadingOption)

_OPTIONS = (
    _reading(
        "--time",
        metavar="COLUMN",
        help="Column with the time; or several, separated by commas: "
        "date and time of day, or year, month and day.  [default: found by name, else by values]",
    ),
    _reading("--text", metavar="COLUMN", help="Column with the text.  [default: found by name, else by values]"),
    _reading("--label", metavar="COLUMN", help="Column with the label, if there is one."),
    _reading("--author", metavar="COLUMN", help="Column with the author: sender, account, source."),
    _reading("--thread", metavar="COLUMN", help="Column with the conversation to which a document belongs."),
    _reading("--id", metavar="COLUMN", help="Column with the document's id.  [default: its number]"),
    _reading(
        "--format", type=click.Choice(FORMATS), help="Format of SOURCE.  [default: detected from name and content]"
    ),
    _reading(
        "--on-error",
        type=click.Choice(["report", "raise"]),
        help="Report unusable records and continue, or stop at the first.  [default: report]",
    ),
    _reading("--reorder-within", metavar="DURATION", help="Maximum delay of a document, such as 2h."),
    _reading(
        "--time-unit",
        type=click.Choice(TIME_UNITS),
        help="Unit of numeric times.  [default: inferred from their magnitude]",
    ),
    _reading("--dayfirst/--monthfirst", default=None, help="How to read 03/04/2003: 3 April, or March 4."),
    _reading("--timezone", metavar="NAME", help="Time zone of times without one, such as Europe/Berlin."),
    _reading("--encoding", metavar="NAME", help="Encoding of text files.  [default: UTF-8]"),
    _reading(
        "--file-time",
        type=click.Choice(FILE_TIMES),
        help="Source of the time of a text file: its name, a Date line, or its modification time.  [default: auto]",
    ),
    _reading("--drop-quotes", is_flag=True, default=None, help="Remove quoted text from emails."),
    _reading(
        "--sheet", metavar="NAME", help="Sheet of a spreadsheet, by name or number.  [default: the first that fits]"
    ),
    _reading("--table", metavar="NAME", help="Table or view of an SQLite file.  [default: the one with most text]"),
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
    """The source options given on the command line; the others keep the defaults of `driftline.read`."""

    source: str
    options: dict[str, Any]
    label_option: str = "--label"

    def labelled_by(self, column: str, option: str) -> SourceArguments:
        """Return the source with the labels of a column that another option names; messages name that option."""
        return SourceArguments(self.source, {**self.options, "label": column}, option)

    def read(self) -> Stream:
        """Open the source."""
        import driftline
        from driftline.core.errors import InvalidInput

        try:
            found: Stream = driftline.read(self.source, **self.options)
        except InvalidInput as error:
            if self.label_option == "--label":
                raise
            raise InvalidInput(with_options(str(error)).replace("--label", self.label_option)) from error
        return found


def source_options(command: Callable[..., object]) -> Callable[..., object]:
    """Give a command the argument SOURCE and, after its own options, those for reading it.

    The command receives them as one `SourceArguments`, called `source`::

        @click.command(cls=SourceCommand)
        @source_options
        def read(source: SourceArguments) -> None: ...
    """

    @functools.wraps(command)
    def gathered(source: str, **given: object) -> object:
        reading = {name: given.pop(name) for name in _NAMES}
        chosen = {name: value for name, value in reading.items() if value is not None}
        return command(source=SourceArguments(source, chosen), **given)

    def declared() -> None:
        """Collect the options; click lists the parameters of a function from the last decorator to the first."""

    for option in reversed(_OPTIONS):
        option(declared)
    parameters: list[click.Parameter] = getattr(command, "__click_params__", [])
    gathered.__click_params__ = [*declared.__click_params__, *parameters]  # type: ignore[attr-defined]
    return click.argument("source", metavar="SOURCE")(gathered)
