"""Ctrl-C is a KeyboardInterrupt, wherever it arrives."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest
from numba import njit

from driftline.core.interrupts import after_the_step, interrupt_behind, interruptible

pytestmark = pytest.mark.usefixtures("standard_interrupts")


def as_from_compiled_code(cause):
    error = SystemError("CPUDispatcher(<function f>) returned a result with an exception set")
    error.__cause__ = cause
    return error


def test_an_interrupt_in_compiled_code_is_raised_as_what_it_is():
    with pytest.raises(KeyboardInterrupt), interruptible():
        raise as_from_compiled_code(as_from_compiled_code(KeyboardInterrupt()))
    with pytest.raises(SystemError), interruptible():
        raise SystemError("bad call")
    assert isinstance(interrupt_behind(as_from_compiled_code(TimeoutError())), TimeoutError)
    assert interrupt_behind(as_from_compiled_code(None)) is None


class Swallows:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_that_a_destructor_swallowed_is_raised_at_the_end(monkeypatch):
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr("sys.unraisablehook", lambda _: None)
    done = []
    with pytest.raises(KeyboardInterrupt), interruptible():  # noqa: PT012
        Swallows()
        done.append("the rest of the block")
    assert done
    assert signal.getsignal(signal.SIGINT) is before


def test_an_error_that_the_interrupt_caused_is_raised_as_the_interrupt():
    def block(error):
        with interruptible():
            try:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(1)
            except KeyboardInterrupt:
                raise error from None

    for error in (RuntimeError("Error calling __set_name__"), ImportError("partially initialized module")):
        with pytest.raises(KeyboardInterrupt):
            block(error)
    with pytest.raises(ImportError), interruptible():
        raise ImportError


def test_a_handler_of_the_program_stays_and_threads_change_nothing():
    seen = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        with interruptible():
            signal.raise_signal(signal.SIGINT)
        assert seen == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)
    outcome = []

    def work():
        with interruptible():
            outcome.append(signal.getsignal(signal.SIGINT) is before)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert outcome == [True]


@njit
def _add(pair, number):
    return pair[0] + pair[1] + number


def test_a_storm_of_signals_around_a_compiled_function_gives_nothing_else():
    _add((1, 2.0), 3)
    until = time.monotonic() + 1.5
    seen = set()
    before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        while time.monotonic() < until:
            try:
                with interruptible():
                    signal.setitimer(signal.ITIMER_REAL, 0.0002)
                    for number in range(1000):
                        _add((number, 2.0), 3)
                    signal.setitimer(signal.ITIMER_REAL, 0)
                seen.add("done")
            except KeyboardInterrupt:
                seen.add("interrupted")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert "interrupted" in seen


def test_the_step_is_done_before_the_interrupt_is_seen():
    done = []
    with after_the_step() as pressed:
        assert not pressed()
        signal.raise_signal(signal.SIGINT)
        done.append(1)
        assert pressed()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_inside_an_interruptible_block_what_was_seen_is_not_raised_again():
    with interruptible(), after_the_step() as pressed:
        signal.raise_signal(signal.SIGINT)
        assert pressed()


def test_a_program_that_ignores_it_is_not_interrupted():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with after_the_step() as pressed:
        signal.raise_signal(signal.SIGINT)
        assert not pressed()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_other_threads_see_no_signal():
    found = []

    def work():
        with after_the_step() as pressed:
            found.append(pressed())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [False]
