"""The options that define a headline, declared once."""

from __future__ import annotations

import functools
from collections.abc import Callable

import click

from driftline.cli.options import setting

_RULES = (
    "min_ratio",
    "min_event_ratio",
    "min_event_share",
    "most_events_at_once",
    "most_same_periods",
    "min_documents",
    "n_stories",
    "most_words",
    "min_similarity",
    "min_within_ratio",
    "most_of_one_author",
)
_OPTIONS = (
    setting(
        "--min-ratio",
        type=click.FloatRange(1),
        default=1.5,
        help="Smallest lower confidence limit of the ratio that makes a lasting change a headline.",
    ),
    setting(
        "--min-event-ratio",
        type=click.FloatRange(1),
        default=3.0,
        help="The same limit for an event of a few days, and for a stop word.",
    ),
    setting(
        "--min-event-share",
        type=click.FloatRange(0, 1),
        default=0.2,
        help="Smallest share of a word's documents that an event must contain.",
    ),
    setting(
        "--most-events-at-once",
        type=click.IntRange(1),
        default=2,
        help="Largest number of stories that are events on overlapping days.",
    ),
    setting(
        "--most-same-periods",
        type=click.IntRange(1),
        default=3,
        help="Largest number of stories about lasting changes in the same period.",
    ),
    setting(
        "--min-documents",
        type=click.IntRange(1),
        default=8,
        help="Smallest number of documents with a word that makes it a headline.",
    ),
    setting("--stories", "n_stories", type=click.IntRange(0, 100), default=8, help="Number of stories to report."),
    setting(
        "--story-words", "most_words", type=click.IntRange(1), default=7, help="Number of words listed in a story."
    ),
    setting(
        "--min-similarity",
        type=click.FloatRange(0, 1),
        default=0.4,
        help="Average similarity above which words are one story: smaller values make fewer, larger stories.",
    ),
    setting(
        "--min-within-ratio",
        type=click.FloatRange(0),
        default=1.2,
        help="A change whose ratio within labels may be below this is reported as a change of authors; 0: never.",
    ),
    setting(
        "--most-of-one-author",
        type=click.FloatRange(0, 1),
        default=0.6,
        help="A word of which one author wrote a larger share than this is reported as that author's; 1: never.",
    ),
)


def headline_options(command: Callable[..., object]) -> Callable[..., object]:
    """Give a command the options of `HeadlineRules`; it receives them as one dictionary, called `headlines`."""

    @functools.wraps(command)
    def wrapped(**arguments: object) -> object:
        rules = {name: arguments.pop(name) for name in _RULES}
        return command(headlines=rules, **arguments)

    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped
