"""Confidence levels of intervals and bands."""

from __future__ import annotations

from driftline.core.errors import InvalidInput


def check_level(level: float) -> None:
    """Raise `InvalidInput` unless a confidence level lies between 0 and 1: 0.95, not 95.

    >>> check_level(95)
    Traceback (most recent call last):
    driftline.core.errors.InvalidInput: a confidence level must lie between 0 and 1, such as 0.95; it is 95
    """
    if not 0 < level < 1:
        raise InvalidInput(f"a confidence level must lie between 0 and 1, such as 0.95; it is {level!r}")
