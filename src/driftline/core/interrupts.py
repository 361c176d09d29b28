"""Ctrl-C in the middle of compiled code: always a KeyboardInterrupt, and never lost."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C end the block as a `KeyboardInterrupt`, wherever in it the signal arrives.

    A signal that arrives while Numba unpacks the arguments of a compiled function appears as a `SystemError` ("returned
    a result with an exception set"), whose cause is the interrupt; one that arrives in a destructor or a callback of
    the interpreter is printed and forgotten; one that arrives in an import may be reported as an error of the module.
    The first is raised as the interrupt that caused it; the others are raised when the block ends, in place of any
    error.
    """
    with _watching() as arrived:
        try:
            yield
        except Exception as error:
            cause = interrupt_behind(error)
            if cause is None and not arrived:
                raise
            raise cause or KeyboardInterrupt from None
        if arrived:
            raise KeyboardInterrupt


def interrupt_behind(error: BaseException) -> BaseException | None:
    """Return the exception of a signal handler that was raised in compiled code; None if `error` is another one.

    >>> error = SystemError("<built-in function f> returned a result with an exception set")
    >>> error.__cause__ = KeyboardInterrupt()
    >>> interrupt_behind(error), interrupt_behind(SystemError("bad argument"))
    (KeyboardInterrupt(), None)
    """
    if not isinstance(error, SystemError) or "with an exception set" not in str(error):
        return None
    cause = error.__cause__ or error.__context__
    return None if cause is None else interrupt_behind(cause) or cause


@contextlib.contextmanager
def _watching() -> Iterator[list[int]]:
    """Record every Ctrl-C in addition to raising it; a program's own handler is kept."""
    arrived: list[int] = []
    standard = signal.default_int_handler
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGINT) is not standard:
        yield arrived
        return

    def note(number: int, frame: FrameType | None) -> None:
        arrived.append(number)
        standard(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield arrived
    finally:
        signal.signal(signal.SIGINT, standard)


@contextlib.contextmanager
def after_the_step() -> Iterator[Callable[[], bool]]:
    """Provide a function that returns whether Ctrl-C was pressed; the block continues until it checks.

    Pressed a second time, it is raised as usual. Outside the main thread, which receives no signals, and in a program
    that ignores Ctrl-C, nothing changes.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda: False
        return
    arrived: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        arrived.append(number)
        if len(arrived) > 1:
            before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(arrived)
    finally:
        signal.signal(signal.SIGINT, before)
