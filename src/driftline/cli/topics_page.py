"""The page of `driftline topics`: curves, the table of topics, their map and tree, and what differs between groups."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from driftline.cli.guided_topics import wish_notes
from driftline.cli.topics_table import REST_MEANS, TopicRow, first_of_rest, per_cent, shares_of_rest
from driftline.core.results import counted
from driftline.figures.topic_layout import plot_topic_map, plot_topic_tree
from driftline.figures.topics import plot_topics
from driftline.report.compare_page import topic_table, word_tables
from driftline.report.given_topics import GIVEN_TOPICS
from driftline.report.table_page import Cell, TablePage, write_table_page
from driftline.topics import topic_distances, topic_places, topic_tree

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from driftline.analysis.group_differences import GroupDifferences
    from driftline.cli.topics import Fitted
    from driftline.topics.over_time import TopicsOverTime

DRAWN = 12
FEWEST_ON_MAP = 3
"""Smallest number of topics for a map and a tree."""
BAND_COVERS = {"given": GIVEN_TOPICS, "topics": "The bands include the error in the topics, estimated by refits."}


def write_topics_page(
    rows: list[TopicRow],
    found: Fitted,
    curves: TopicsOverTime,
    differences: GroupDifferences | None,
    name: str,
    path: Path,
) -> None:
    """Write curves of topics that rise or fall, the table of all topics, their map and tree, as one page.

    The rest is in the table only, unless there is nothing else.
    """
    listed = [row for row in rows if row.state != "junk"] or rows
    changed = [row for row in listed if row.rises_or_falls]
    shown = (listed if found.first else changed)[:DRAWN] or listed[:DRAWN]
    figure = plot_topics({f"{row.topic}: {row.name}": curves.curve(row.topic) for row in shown})
    moving = "those that rise or fall" if len(shown) > 1 else "the one that rises or falls"
    drawn = "those of the guide, then the largest" if found.first else moving if changed else "the largest"
    page = TablePage(
        title=f"Topics of {name}",
        kicker="What the documents are about, and how that changed.",
        figure=figure,
        description=f"The share of the words over time, with a 95 % band, of {counted(len(shown), 'topic')}: {drawn}. "
        f"{BAND_COVERS[curves.uncertainty]}",
        caption="All topics, those of the guide first, then the largest"
        if found.first
        else "All topics, largest first"
        + "; then mixed ones" * ("mixed" in found.states)
        + f"; then the rest: {REST_MEANS}" * ("junk" in found.states),
        headings=["topic", "share of words", "of documents", "trend", "name", "words"],
        rows=_cells(rows),
        notes=[*found.notes, *wish_notes(found.wishes)],
        more=_layout(listed, found, curves),
        more_tables=[] if differences is None else [topic_table(differences), *word_tables(differences)],
    )
    write_table_page(page, path)


def _cells(rows: list[TopicRow]) -> list[list[Cell]]:
    """Return the table of topics, with a heading row before the rest."""
    found = []
    for row, heads_rest in zip(rows, first_of_rest(rows)):
        if heads_rest:
            shares = [Cell(share, number=True) for share in shares_of_rest(rows)]
            found.append([Cell(""), *shares, Cell(""), Cell("The rest"), Cell("")])
        found.append(
            [
                Cell(str(row.topic), number=True),
                Cell(per_cent(row.share), number=True),
                Cell(per_cent(row.documents), number=True),
                Cell(f"{100 * row.trend:+.1f} points {row.rises_or_falls}".rstrip(), number=True),
                Cell(_name(row)),
                Cell(", ".join(row.words), [example["text"] for example in row.examples]),
            ]
        )
    return found


def _name(row: TopicRow) -> str:
    state = f" ({row.state})" * (row.state in ("mixed", "junk"))
    return row.name + state + f"; nearly the same: {'; '.join(row.near)}" * bool(row.near)


def _layout(listed: list[TopicRow], found: Fitted, curves: TopicsOverTime) -> list[tuple[Figure, str]]:
    """Return the map and the tree of the listed topics, with their descriptions; none for fewer than three topics."""
    topics = sorted(row.topic for row in listed)
    if len(topics) < FEWEST_ON_MAP:
        return []
    components, names = found.model.components_[topics], [found.names[k] for k in topics]
    shares = curves.mean_share[topics].clip(0.0)
    places, tree = topic_places(topic_distances(components)), topic_tree(components, shares)
    return [
        (
            plot_topic_map(places.xy, shares.tolist(), names),
            "Which topics are alike: topics with similar words are near each other; areas are shares of words.",
        ),
        (
            plot_topic_tree(tree.merges, tree.lost.tolist(), names),
            "How topics would be merged: branches that join at the left are nearly the same topic.",
        ),
    ]
