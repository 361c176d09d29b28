"""Readable numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

YEAR = 365.25
"""Length of a year in days."""
MANY_YEARS = 3
"""Minimum number of years for times to be given in years rather than months."""
FARTHEST = 100.0
"""Largest ratio that is written as a number; likewise its inverse."""


def count(n: float) -> str:
    """Return a whole number with thousands separators.

    >>> count(1234567)
    '1,234,567'
    """
    return f"{round(n):,}"


def counted(n: int, singular: str, plural: str | None = None) -> str:
    """Return a number with its noun.

    >>> counted(1, "document"), counted(2000, "document"), counted(0, "story", "stories")
    ('1 document', '2,000 documents', 'no stories')
    """
    noun = singular if n == 1 else plural or singular + "s"
    return f"{count(n) if n else 'no'} {noun}"


def rate(value: float) -> str:
    """Return a rate with its significant digits: three, or two decimals if it is small.

    >>> [rate(value) for value in (1234.5, 56.78, 9.999, 3.456, 0.0456, 0.0004, 1e-20)]
    ['1,230', '56.8', '10.0', '3.46', '0.05', '0.0004', '0']
    """
    if not math.isfinite(value):
        return "–"
    value = float(f"{value:.3g}")
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:.1f}"
    if size >= 0.01:
        return f"{value:.2f}"
    return f"{value:.4f}".rstrip("0").rstrip(".")


def days(length: float) -> str:
    """Return a number of days with its noun; long times in months or years, short ones in hours or minutes.

    >>> days(9.0), days(1.0), days(85.9), days(400.0), days(7040.0)
    ('9 days', '1 day', '85.9 days', '13 months', '19 years')
    >>> days(0.25), days(1 / 24), days(0.00954)
    ('6 hours', '1 hour', '13.7 minutes')
    """
    if length >= MANY_YEARS * YEAR:
        return f"{length / YEAR:.0f} years"
    if length >= YEAR:
        return f"{12 * length / YEAR:.0f} months"
    for unit, per_day in (("day", 1), ("hour", 24), ("minute", 1440)):
        if length * per_day >= 1 or unit == "minute":
            break
    amount = f"{length * per_day:.3g}"
    return f"{amount} {unit}" + ("" if amount == "1" else "s")


def share(part: float, whole: float) -> str:
    """Return a share in percent; number and sign stay on one line.

    >>> share(1, 3), share(1, 1000), share(0, 5)
    ('33\xa0%', '0.1\xa0%', '0\xa0%')
    """
    percent = 100 * part / whole if whole else 0.0
    return f"{percent:.0f}\xa0%" if percent >= 1 or percent == 0 else f"{percent:.1g}\xa0%"


def points_with_interval(change: float, lower: float, upper: float) -> str:
    """Return the change of a share in percentage points, with its interval.

    >>> print(points_with_interval(0.012, 0.004, 0.02), points_with_interval(-0.0004, -0.0007, -0.0001))
    +1.2 points (+0.4 to +2.0) −0.04 points (−0.07 to −0.01)
    """
    size = max(abs(change), 1e-9)
    digits = 1 if size >= 0.001 else 2 if size >= 0.0001 else 3
    value, low, high = (f"{100 * each:+.{digits}f}".replace("-", "−") for each in (change, lower, upper))
    return f"{value} points ({low} to {high})"


def chance(probability: float) -> str:
    """Return a p- or q-value.

    >>> chance(0.0342), chance(0.00004)
    ('0.034', '< 0.001')
    """
    return "< 0.001" if probability < 0.001 else f"{probability:.2g}"


def times_as(ratio: float, *, most: float = FARTHEST) -> str:
    """Return a ratio in words; beyond `most`, only that it is more than that.

    >>> times_as(4.13), times_as(25.2), times_as(1e9)
    ('4.1 times', '25 times', 'more than 100 times')
    """
    if ratio >= most:
        return f"more than {most:.0f} times"
    return f"{ratio:.1f} times" if ratio < 10 else f"{ratio:,.0f} times"


def ratio_interval(low: float, high: float | None, *, farthest: float = FARTHEST) -> str:
    """Return the interval of a ratio; an end that is infinite or beyond `farthest` is left out.

    >>> ratio_interval(2.5, 6.4), ratio_interval(22.5, 444.0), ratio_interval(0.0001, 0.23), ratio_interval(3, None)
    ('2.50 to 6.40', 'at least 22.5', 'at most 0.23', 'at least 3.00')
    """
    endless = high is None or high > farthest
    if low < 1 / farthest:
        return "anything" if endless else f"at most {rate(high or 0.0)}"
    return f"at least {rate(low)}" if endless else f"{rate(low)} to {rate(high or 0.0)}"


def listed(items: Sequence[str], *, most: int = 6) -> str:
    """Return items as a list within a sentence.

    >>> listed(["a", "b", "c"]), listed(list("abcdefgh"), most=3)
    ('a, b and c', 'a, b, c and 5 more')
    """
    if len(items) > most:
        return f"{', '.join(items[:most])} and {len(items) - most} more"
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
