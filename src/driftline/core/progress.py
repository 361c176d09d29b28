"""Progress of long computations: silent in a library, a bar on a terminal, a few plain lines in a file or pipe.

Code that may run for more than a second wraps its loop in `track`, and announces a stage with `announce`. The caller
decides what is shown: nothing by default, a bar if ``verbose=True`` or if a program such as the command line has
installed a reporter with `reporting`.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sized
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

from driftline.core.display import one_line

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")

LINE_EVERY = 10.0
"""Seconds after the last line after which a loop writes one, where standard error is no terminal."""


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
        """Return the items unchanged."""
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


class LineReporter:
    """Plain lines on standard error where it is a file or a pipe: announcements, and the state of long loops."""

    def __init__(self, every: float = LINE_EVERY) -> None:
        self.every = every
        self._last = time.monotonic()
        self._is_watched = False

    def track(self, items: Iterable[T], description: str, total: float | None) -> Iterator[T]:
        """Yield the items, and write how many are done if nothing was written for some seconds.

        In a loop of known length this is also written while one item takes long; an endless stream may just be idle.
        """
        total = len(items) if total is None and isinstance(items, Sized) else total
        state = _LoopState(description, "" if total is None else f" of {total:,.0f}")
        with self._watched(state) if total is not None and not self._is_watched else contextlib.nullcontext():
            for item in items:
                if time.monotonic() - self._last >= self.every:
                    self.announce(str(state))
                yield item
                state.n_done += 1
                state.since = time.monotonic()

    def announce(self, message: str) -> None:
        """Write one line."""
        self._last = time.monotonic()
        with contextlib.suppress(OSError, ValueError):  # the reader may have closed the pipe
            sys.stderr.write(one_line(message) + "\n")
            sys.stderr.flush()

    @contextlib.contextmanager
    def _watched(self, state: _LoopState) -> Iterator[None]:
        """Write, from a thread, where a loop is if nothing else was written for some seconds."""
        finished = threading.Event()

        def watch() -> None:
            while not finished.wait(max(self._last + self.every - time.monotonic(), 0.05)):
                if time.monotonic() - self._last >= self.every:
                    self.announce(f"{state}, the next has taken {time.monotonic() - state.since:.0f} s")

        self._is_watched = True
        thread = threading.Thread(target=watch, daemon=True, name="progress")
        thread.start()
        try:
            yield
        finally:
            finished.set()
            thread.join()
            self._is_watched = False


@dataclass
class _LoopState:
    """The position of a loop, and the time at which it began its current item."""

    description: str
    of: str
    n_done: int = 0
    since: float = field(default_factory=time.monotonic)

    def __str__(self) -> str:
        return f"{self.description}: {self.n_done:,}{self.of} done"


_reporter: ContextVar[Reporter] = ContextVar("reporter", default=SilentReporter())  # noqa: B039 (it has no state)


@contextlib.contextmanager
def reporting(reporter: Reporter | None = None) -> Iterator[None]:
    """Send all progress within the block to `reporter`: by default a terminal's bars, or lines if there is none."""
    if reporter is None:
        reporter = TerminalReporter() if sys.stderr.isatty() else LineReporter()
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
    """Announce the next stage, such as a first-use compilation."""
    _current(verbose).announce(message)
