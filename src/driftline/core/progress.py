"""Progress of long computations: silent in a library, a bar on a terminal, never `print`.

Code that may run for more than a second wraps its loop in `track`, and announces a stage with `announce`. The caller
decides what is shown: nothing by default, a bar if ``verbose=True`` or if a program such as the command line has
installed a reporter with `reporting`.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

from driftline.core.display import one_line

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")


class Reporter(Protocol):
    """Receiver of progress."""

    def track(self, items: Iterable[T], description: str, total: float | None) -> Iterator[T]:
        """Yield the items and show progress."""
        ...

    def announce(self, message: str) -> None:
        """Show one line."""
        ...


class SilentReporter:
    """Shows nothing: the default of a library."""

    def track(self, items: Iterable[T], description: str, total: float | None) -> Iterator[T]:
        """Return the items as they are."""
        return iter(items)

    def announce(self, message: str) -> None:
        """Drop the message."""


class TerminalReporter:
    """Bars and lines on standard error, by rich; bars vanish when they are done."""

    def __init__(self) -> None:
        self._busy = False

    @cached_property
    def _console(self) -> Console:
        # Importing rich takes time that most commands never need.
        from rich.console import Console

        return Console(stderr=True)

    def track(self, items: Iterable[T], description: str, total: float | None) -> Iterator[T]:
        """Yield the items under a bar; an inner loop has no separate bar."""
        if self._busy:
            yield from items
            return
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        self._busy = True
        try:
            with Progress(*columns, console=self._console, transient=True) as bars:
                yield from bars.track(items, total=total, description=one_line(description))
        finally:
            self._busy = False

    def announce(self, message: str) -> None:
        """Show one line."""
        self._console.print(one_line(message), style="dim", highlight=False, markup=False)


_reporter: ContextVar[Reporter] = ContextVar("reporter", default=SilentReporter())  # noqa: B039 (it has no state)


@contextlib.contextmanager
def reporting(reporter: Reporter | None = None) -> Iterator[None]:
    """Send all progress within the block to `reporter` (by default the terminal, if there is one)."""
    if reporter is None:
        reporter = TerminalReporter() if sys.stderr.isatty() else SilentReporter()
    token = _reporter.set(reporter)
    try:
        yield
    finally:
        _reporter.reset(token)


def _current(verbose: bool | int) -> Reporter:
    reporter = _reporter.get()
    return TerminalReporter() if verbose and isinstance(reporter, SilentReporter) else reporter


def track(
    items: Iterable[T], description: str, *, total: float | None = None, verbose: bool | int = False
) -> Iterator[T]:
    """Yield `items`, showing progress if the caller or ``verbose`` requests it.

    >>> sum(track(range(4), "adding"))
    6
    """
    return _current(verbose).track(items, description, total)


def announce(message: str, *, verbose: bool | int = False) -> None:
    """Announce what is about to happen, such as a first-use compilation."""
    _current(verbose).announce(message)
