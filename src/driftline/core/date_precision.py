"""The precision of the dates of a source: what is written and drawn about it shows them no more exactly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

STEPS = ("year", "month", "day", "minute")
_HOVER = {"year": "%Y", "month": "%b %Y"}
_GIVEN: ContextVar[str] = ContextVar("given", default="minute")


@contextmanager
def dates_given_to(step: str) -> Iterator[None]:
    """Within it, dates are given to the "year", "month", "day" or "minute"; anything else means the minute.

    >>> with dates_given_to("year"):
    ...     print(given_precision(), hover_format())
    year %Y
    >>> given_precision()
    'minute'
    """
    before = _GIVEN.set(step if step in STEPS else "minute")
    try:
        yield
    finally:
        _GIVEN.reset(before)


def given_precision() -> str:
    """Return the precision of the dates: "year", "month", "day" or "minute"."""
    return _GIVEN.get()


def hover_format() -> str:
    """Return the format of a date under the pointer in a figure, in the notation of d3."""
    return _HOVER.get(_GIVEN.get(), "%-d %b %Y")
