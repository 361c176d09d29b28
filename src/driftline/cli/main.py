"""The program `driftline`: a group of commands, each imported only when needed."""

from __future__ import annotations

import difflib
import importlib
from typing import Any

import click

from driftline import __version__
from driftline.cli.commands import COMMANDS, CommandEntry
from driftline.cli.conventions import run_by_the_rules
from driftline.core.progress import reporting


class LazyGroup(click.Group):
    """A group that lists its commands by name and imports them when they run."""

    def __init__(self, *arguments: Any, entries: dict[str, CommandEntry], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the table."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self.entries:
            return None
        module, _, function = self.entries[cmd_name].home.partition(":")
        found: click.Command | None = getattr(importlib.import_module(module), function)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was called, or suggest one with a similar name."""
        if args[0] not in self.entries and not args[0].startswith("-") and not ctx.resilient_parsing:
            near = difflib.get_close_matches(args[0], self.entries, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else f" The commands are: {', '.join(self.entries)}."
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in self.entries.items()])

    def invoke(self, ctx: click.Context) -> object:
        """Run a command under the conventions that all commands share."""
        with reporting():
            return run_by_the_rules(lambda: super(LazyGroup, self).invoke(ctx), debug=ctx.params["debug"])


@click.group(
    cls=LazyGroup,
    entries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Run 'driftline COMMAND --help' for the options of a command.",
)
@click.version_option(__version__, prog_name="driftline")
@click.option("--debug", is_flag=True, help="Show the full traceback of an error.")
def cli(debug: bool) -> None:
    """Analyse text that changes over time: what changed, when, and how certain that is.

    SOURCE is a file (JSON lines, CSV, TSV, Parquet, Arrow, a spreadsheet, SQLite, mbox, RSS, Atom, a log, an export of
    Slack, Telegram, Mastodon or Elasticsearch, compressed or not), a folder or zip archive (Maildir, mails, text files,
    a git repository), or - for standard input.
    """


def main() -> None:
    """Run the program."""
    cli(prog_name="driftline")
