"""A comparison of groups in rows of a table, and as a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import plotly.graph_objects as go

from driftline.analysis.group_differences import (
    ComparedGroup,
    GroupDifferences,
    TopicDifference,
    WordDifference,
    too_few_units,
)
from driftline.core.display import figure_text
from driftline.figures.differences import ShownInterval, plot_differences
from driftline.report.date_formats import unit_name
from driftline.report.given_topics import GIVEN_TOPICS
from driftline.report.numbers import FARTHEST, count, counted, rate, ratio_interval
from driftline.report.table_page import Cell, PageTable, TablePage, write_table_page

TOPIC_HEADINGS = ("group", "topic", "share", "elsewhere", "points", "95 % interval")
WORD_HEADINGS = ("group", "word", "share", "elsewhere", "ratio", "95 % interval")
WITHIN_HEADINGS = ("group", "topic", "word", "ratio", "95 % interval")


def topic_row(each: TopicDifference) -> tuple[str, ...]:
    """Return a topic as the cells of a table: group, topic, both shares, their difference in points, its interval."""
    return (
        each.group,
        each.topic,
        f"{100 * each.share:.1f} %",
        f"{100 * each.share_elsewhere:.1f} %",
        points(each.difference),
        f"{points(each.low)} to {points(each.high)}",
    )


def points(difference: float) -> str:
    """Return a difference of shares in percentage points.

    >>> points(-0.034), points(0.2)
    ('−3.4', '+20.0')
    """
    return f"{100 * difference:+.1f}".replace("-", "−")


def word_row(each: WordDifference) -> tuple[str, ...]:
    """Return a word as the cells of a table: group, word, shares of documents, their ratio, its interval."""
    return (
        each.group,
        each.word,
        f"{100 * each.share:.2f} %",
        f"{100 * each.share_elsewhere:.2f} %",
        ratio(each),
        interval(each),
    )


def within_row(each: WordDifference) -> tuple[str, ...]:
    """Return a word of a topic as the cells of a table: group, topic, word, ratio of shares, its interval."""
    return each.group, each.topic, each.word, ratio(each), interval(each)


def ratio(each: WordDifference) -> str:
    """Return the ratio of a word's shares.

    >>> ratio(WordDifference("a", "war", 0.1, 0.0, None, 2.5, None, 0.01))
    'only here'
    >>> ratio(WordDifference("a", "war", 0.1, 0.0004, 250.0, 23.9, 2600.0, 0.01))
    '> 100'
    """
    if not each.ratio:
        return "only here" if each.ratio is None else "only elsewhere"
    if not 1 / FARTHEST <= each.ratio <= FARTHEST:
        return f"> {FARTHEST:.0f}" if each.ratio > 1 else f"< {1 / FARTHEST:g}"
    return rate(each.ratio)


def interval(each: WordDifference) -> str:
    """Return the interval of the ratio."""
    return ratio_interval(each.low, each.high)


def group_size(group: ComparedGroup, unit: str) -> str:
    """Return a group with the numbers of its documents and independent units.

    >>> group_size(ComparedGroup("a", 1200, 30), "day"), group_size(ComparedGroup("a", 1, 1), "document")
    ('a: 1,200 documents in 30 units (days, quiet ones joined)', 'a: 1 document')
    """
    documents = f"{group.name}: {counted(group.n_documents, 'document')}"
    if not group.n_units or unit == "document":
        return documents
    if unit == "day":
        return f"{documents} in {counted(group.n_units, 'unit')} (days, quiet ones joined)"
    return f"{documents} in {counted(group.n_units, unit_name(unit))}"


def too_few(found: GroupDifferences) -> list[str]:
    """Name the groups that have too few independent units for any claim.

    >>> groups = [ComparedGroup("a", 900, 2, 0.1), ComparedGroup("b", 900, 3, 0.1)]
    >>> too_few(GroupDifferences("label", groups, unit="day"))
    ['2 and 3 days are too few to distinguish a difference from chance.']
    """
    lacking = too_few_units(found)
    units = f"{unit_name(found.unit)}s"
    numbers = (
        [" and ".join(count(each.n_units) for each in found.groups)] * len(lacking)
        if len(found.groups) == 2
        else [f"{each.name}: {count(each.n_units)} of all" for each in lacking]
    )
    return [f"{each} {units} are too few to distinguish a difference from chance." for each in numbers]


def topic_figure(found: GroupDifferences) -> go.Figure:
    """Draw the differences of topics in percentage points."""
    group, name = _named(found.topics)
    shown = [
        ShownInterval(name(each, each.topic), 100 * each.low, 100 * each.difference, 100 * each.high)
        for each in found.topics
    ]
    return plot_differences(shown, f"percentage points of words, {group} minus all others")


def word_figure(found: GroupDifferences) -> go.Figure:
    """Draw the ratios of words."""
    group, name = _named(found.words)
    shown = [ShownInterval(name(each, each.word), each.low, each.ratio, each.high) for each in found.words]
    return plot_differences(shown, f"share of documents with the word, {group} ÷ all others", ratios=True)


Difference = TypeVar("Difference", TopicDifference, WordDifference)


def _named(differences: Sequence[Difference]) -> tuple[str, Callable[[Difference, str], str]]:
    """Return the group of all differences, or "group" if there are several, and a function that names a difference."""
    groups = {each.group for each in differences}
    if len(groups) == 1:
        return figure_text(groups.pop()), lambda each, what: what
    return "group", lambda each, what: f"{each.group}: {what}"


def _topic_caption(found: GroupDifferences) -> str:
    if not found.n_topics:
        return "Topics: not compared"
    return "Topics: share of words" if found.topics else "Topics: none differs by more than chance explains"


def _cells(rows: Iterable[tuple[str, ...]], n_texts: int) -> list[list[Cell]]:
    return [[Cell(text, number=place >= n_texts) for place, text in enumerate(row)] for row in rows]


def topic_table(found: GroupDifferences) -> PageTable:
    """Return the topics that differ as a table of a page."""
    return PageTable(_topic_caption(found), TOPIC_HEADINGS, _cells(map(topic_row, found.topics), 2))


def word_tables(found: GroupDifferences) -> list[PageTable]:
    """Return the words that differ, and those within topics, as tables of a page."""
    return [
        PageTable(
            "Words: share of documents that contain them" if found.words else "Words: none differs",
            WORD_HEADINGS,
            _cells(map(word_row, found.words), 2),
        ),
        PageTable(
            "Words within topics: share of the topic" if found.within_topics else "Words within topics: none differs",
            WITHIN_HEADINGS,
            _cells(map(within_row, found.within_topics), 3),
        ),
    ]


def write_compare_page(found: GroupDifferences, path: str | Path, title: str) -> Path:
    """Write the page to the file `path` and return the path."""
    groups = "; ".join(group_size(each, found.unit) for each in found.groups)
    notes = [
        f"{counted(len(found.topics), 'topic')} of {counted(found.n_topics, 'tested topic')} differ in share; "
        f"points are percentage points of words. {GIVEN_TOPICS}",
        f"Of {counted(found.n_words, 'test')}, {counted(len(found.words), 'word')} are listed, "
        f"compared by the shares of documents that contain them, and "
        f"{counted(len(found.within_topics), 'word')} within topics, compared by their shares of the topic.",
        f"Intervals treat each {found.unit} as independent; tests have a false discovery rate of 5 %.",
    ]
    notes += too_few(found)
    if found.n_left_out:
        were = "was" if found.n_left_out == 1 else "were"
        notes.append(f"{counted(found.n_left_out, 'document')} in no group {were} left out.")
    topics = topic_table(found)
    page = TablePage(
        title=f"Comparison: {title}",
        kicker=f"Documents by {found.kind}: {groups}.",
        figure=topic_figure(found),
        description="Topics whose shares differ between groups, with 95 % intervals.",
        caption=topics.caption,
        headings=topics.headings,
        rows=topics.rows,
        notes=notes,
        more=[(word_figure(found), "Words that differ between groups, with 95 % intervals.")],
        more_tables=word_tables(found),
    )
    return write_table_page(page, path)
