"""The options that define a headline, declared once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

_RULES = ("min_ratio", "min_event_ratio", "min_documents", "n_stories", "min_within_ratio")
_OPTIONS = (
    click.option(
        "--min-ratio",
        type=click.FloatRange(1),
        default=1.5,
        show_default=True,
        help="Smallest lower confidence limit of the ratio that makes a lasting change a headline.",
    ),
    click.option(
        "--min-event-ratio",
        type=click.FloatRange(1),
        default=3.0,
        show_default=True,
        help="The same limit for an event of a few days, and for a stop word.",
    ),
    click.option(
        "--min-documents",
        type=click.IntRange(1),
        default=8,
        show_default=True,
        help="Smallest number of documents with a word that makes it a headline.",
    ),
    click.option(
        "--stories",
        "n_stories",
        type=click.IntRange(0, 100),
        default=8,
        show_default=True,
        help="Number of stories to report.",
    ),
    click.option(
        "--min-within-ratio",
        type=click.FloatRange(0),
        default=1.2,
        show_default=True,
        help="A change whose ratio within labels may be below this is reported as a change in who writes; 0 for never.",
    ),
)


def headline_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of `HeadlineRules`; it receives them as one dictionary, called `headlines`."""

    @functools.wraps(command)
    def wrapped(**arguments: Any) -> Any:
        rules = {name: arguments.pop(name) for name in _RULES}
        return command(headlines=rules, **arguments)

    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped
