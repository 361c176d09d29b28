"""Differences between groups, on the terminal: topics, words, and words within topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftline.cli.conventions import print_table, say

if TYPE_CHECKING:
    from driftline.analysis.group_differences import GroupDifferences


def print_differences(found: GroupDifferences) -> None:
    """Print the groups, and a table for topics, words, and words within topics that differ."""
    from driftline.report.compare_page import (
        TOPIC_HEADINGS,
        WITHIN_HEADINGS,
        WORD_HEADINGS,
        group_size,
        too_few,
        topic_row,
        within_row,
        word_row,
    )

    sizes = ", ".join(group_size(each, found.unit) for each in found.groups)
    say(f"Documents by {found.kind}: {sizes}" + (f"; {found.n_left_out:,} left out" if found.n_left_out else ""))
    for sentence in too_few(found):
        say(sentence)
    for title, headings, rows in (
        ("Topics", list(TOPIC_HEADINGS), list(map(topic_row, found.topics))),
        ("Words", list(WORD_HEADINGS), list(map(word_row, found.words))),
        ("Words within topics", list(WITHIN_HEADINGS), list(map(within_row, found.within_topics))),
    ):
        say()
        if rows:
            say(f"{title} that differ (unit: {found.unit})")
            print_table(headings, rows)
        elif title != "Words" and not found.n_topics:
            say(f"{title}: not compared, because there are no topics.")
        else:
            say(f"{title}: none differ by more than chance explains.")
