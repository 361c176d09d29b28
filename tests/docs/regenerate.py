"""Write those parts of the documentation that follow from the program: ``python -m tests.docs.regenerate``.

They stand between two comments, ``<!-- generated: NAME -->`` and ``<!-- end -->``; everything else is left alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import click
from tools.benchmark_index import index
from tools.tree import tree

from driftline.cli.main import cli
from tests.docs.markdown import ROOT, first_sentence, title

_PART = re.compile(r"(<!-- generated: (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
WIDTH = 90


def commands(
    command: click.Command = cli, names: tuple[str, ...] = ("driftline",), parent: click.Context | None = None
) -> Iterator[tuple[str, click.Command, click.Context]]:
    """Yield every command of the program with its full name and context, the program itself first."""
    settings = command.context_settings | {"terminal_width": WIDTH, "max_content_width": WIDTH}
    command._help_option = None  # Click keeps that of the first context, which may have had no parent
    context = click.Context(command, info_name=names[-1], parent=parent, **settings)
    yield " ".join(names), command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None:
                yield from commands(below, (*names, name), context)


def command_reference() -> str:
    """Return the help of every command, each under its own heading."""
    return "".join(
        f"\n## {name}\n\n```text\n{command.get_help(context).rstrip()}\n```\n" for name, command, context in commands()
    )


def page_list(folder: str, reader: Path) -> str:
    """Return a list of the pages of a folder of docs/, each with its first sentence, linked from ``reader``."""
    lines = []
    for page in sorted((ROOT / "docs" / folder).rglob("*.md")):
        if page != reader:
            text = page.read_text(encoding="utf-8")
            place = os.path.relpath(page, reader.parent).replace(os.sep, "/")
            lines.append(f"- [{title(text)}]({place}): {first_sentence(text)}\n")
    return "".join(lines)


def generated(name: str, page: Path) -> str:
    """Return the content of a generated part of a page."""
    if name == "commands":
        return command_reference() + "\n"
    if name == "benchmarks":
        return index()
    return tree() if name == "tree" else page_list(name.removeprefix("pages-in-"), page)


def renewed(page: Path) -> str:
    """Return a page with its generated parts as they should be."""
    text = page.read_text(encoding="utf-8")
    return _PART.sub(lambda part: f"{part[1]}{generated(part['name'], page)}{part[3]}", text)


def generated_pages() -> list[Path]:
    """Return the pages that have generated parts."""
    pages = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "benchmarks" / "results" / "README.md"]
    return [page for page in pages if _PART.search(page.read_text(encoding="utf-8"))]


def main() -> None:
    """Renew every page that has changed."""
    # The list of pages quotes the pages, so the command reference must be written first.
    for page in sorted(generated_pages(), key=lambda page: page.name == "contents.md"):
        before = page.read_text(encoding="utf-8")
        after = renewed(page)
        if after != before:
            page.write_text(after, encoding="utf-8")
            click.echo(f"renewed {page.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
