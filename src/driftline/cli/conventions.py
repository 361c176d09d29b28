"""Conventions of all commands: exit codes, errors without tracebacks, facts in columns or as JSON.

Exit codes: 0 success; 1 invalid data or model; 2 wrong usage; 3 a failed check; 130 interrupted. Results go to standard
output, everything else to standard error.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import math
import os
import re
import shlex
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO, TypeVar

import click

from driftline.core.display import one_line, safe_json, terminal_text
from driftline.core.errors import DriftlineError
from driftline.core.interrupts import interruptible

FAULT = 1
FAILED_CHECK = 3
INTERRUPTED = 130

F = TypeVar("F", bound=Callable[..., Any])

_KEYWORD = re.compile(
    r"(?<![\w'\"=-])(?P<name>time|text|label|id|format|on_error|reorder_within|time_unit|dayfirst|timezone|encoding|file_time"
    r"|drop_quotes|sheet|table)=(?:'(?P<value>[^']*)'|(?P<word>True|False))?"
)
"""A keyword of `driftline.read` in a message; each has a command-line option."""


def json_option(function: F) -> F:
    """Give a command the option ``--json``, which it receives as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(function)


def say(text: str = "", *, err: bool = False) -> None:
    r"""Print text for the terminal; control and invisible characters are written as escapes.

    >>> say("a label with \x1b[31m in it")
    a label with \x1b[31m in it
    """
    click.echo(terminal_text(text), err=err)


def print_json(value: object) -> None:
    """Print a result as JSON: data classes become objects, dates ISO 8601 strings, and non-finite numbers null.

    >>> print_json({"when": datetime.date(2003, 3, 20), "share": float("nan"), "words": ("war", "sars")})
    {
      "when": "2003-03-20",
      "share": null,
      "words": [
        "war",
        "sars"
      ]
    }
    """
    click.echo(safe_json(json.dumps(_plain(value), indent=2, allow_nan=False)))


def print_facts(facts: Mapping[str, object]) -> None:
    """Print names and values in two columns; a multi-line value stays in its column.

    >>> print_facts({"documents": 3000, "labels": ["war", "peace"], "rejected": "1 no time\\n1 no text"})
    documents  3,000
    labels     war, peace
    rejected   1 no time
               1 no text
    """
    width = max(map(len, facts), default=0)
    for name, value in facts.items():
        first, *rest = _fact(value).splitlines() or [""]
        say(f"{name:<{width}}  {first}".rstrip())
        for line in rest:
            say(f"{'':<{width}}  {line}".rstrip())


def _fact(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def print_table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under headings; columns are as wide as their contents, and numbers are right-aligned.

    >>> print_table(["word", "uses"], [("war", 492), ("sars", 65)])
    word  uses
    war    492
    sars    65
    """
    cells = [[terminal_text(str(value)).replace("\n", " ") for value in row] for row in [headings, *rows]]
    widths = [max(map(len, column)) for column in zip(*cells)]
    right = [bool(rows) and isinstance(value, int | float) for value in (rows[0] if rows else headings)]
    for row in cells:
        padded = (cell.rjust(width) if flush else cell.ljust(width) for cell, width, flush in zip(row, widths, right))
        say("  ".join(padded).rstrip())


def run_by_the_rules(work: Callable[[], object], *, debug: bool) -> object:
    """Run a command; turn an error into one clear message and the matching exit code."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _say_warning
            with interruptible():
                result = work()
        sys.stdout.flush()
        return result
    except click.ClickException as error:
        error.message = terminal_text(error.message)  # type: ignore[misc]
        raise
    except click.exceptions.Exit:
        raise
    except (KeyboardInterrupt, click.Abort):
        say("Interrupted.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # The reader closed the pipe. Nothing more may be written, not even when Python flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(0) from None
    except Exception as error:
        _show(error, debug=debug)
        raise click.exceptions.Exit(FAULT) from None


def with_options(message: str) -> str:
    """Translate a library message into command-line terms: ``--time`` for ``time=``.

    >>> with_options("the text of a.csv may be 'title' or 'long title'; choose with text='title' or text='long title'")
    "the text of a.csv may be 'title' or 'long title'; choose with --text title or --text 'long title'"
    >>> with_options("pass dayfirst=True or dayfirst=False, or name it with time=")
    'pass --dayfirst or --monthfirst, or name it with --time'
    """
    message = re.sub(", or (label|id)=False for none", "", message)  # for which there is no option
    return _KEYWORD.sub(_option, message)


def _option(keyword: re.Match[str]) -> str:
    if keyword["name"] == "dayfirst" and keyword["word"] == "False":
        return "--monthfirst"
    option = f"--{keyword['name'].replace('_', '-')}"
    return option if keyword["value"] is None else f"{option} {shlex.quote(keyword['value'])}"


def _show(error: Exception, *, debug: bool) -> None:
    if debug:
        say("".join(traceback.format_exception(error)).rstrip("\n"), err=True)
        return
    message = with_options(str(error)) if isinstance(error, DriftlineError) else str(error)
    if isinstance(error, OSError) and not isinstance(error, DriftlineError) and error.strerror:
        message = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    if not isinstance(error, DriftlineError | OSError):
        message = (
            f"{type(error).__name__}: {message}\n"
            f"This is a bug; run `driftline --debug …` for the details, and please report them."
        )
    label = click.style("Error:", fg="red", bold=True) if _coloured() else "Error:"
    # Further lines, which may come from a file name, are indented, so they cannot look like separate messages
    click.echo(f"{label} {terminal_text(message)}".replace("\n", "\n  "), err=True)


def _say_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning as one line, without the source location, which is of no use to the user of a command."""
    say(f"Warning: {one_line(str(message))}", err=True)


def _coloured() -> bool:
    return not os.environ.get("NO_COLOR") and sys.stderr.isatty()


def _plain(value: object) -> object:
    """Return a value as JSON types."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime.date):
        return value.isoformat()
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(part) for part in value]
    return str(value)
