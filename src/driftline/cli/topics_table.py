"""The table of `driftline topics`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from driftline.core.display import one_line

REST_MEANS = "topics whose words occur together no more than random words do, or belong to all topics"


@dataclass(frozen=True)
class TopicRow:
    """One topic as shown: `share` is that of all words, `documents` the share of documents whose main topic it is.

    `trend` is the change of the share of words over the span of the documents; `near` are the names of topics with many
    of the same words.
    """

    topic: int
    name: str
    state: str
    words: list[str]
    near: list[str]
    share: float
    documents: float
    trend: float
    p_value: float
    rises_or_falls: str
    peak: Any
    examples: list[dict[str, str]]


def first_of_rest(rows: list[TopicRow]) -> list[bool]:
    """Return for each row whether it is the first of the rest, which has a heading."""
    junk = [row.state == "junk" for row in rows]
    return [now and not before for now, before in zip(junk, [False, *junk])]


def per_cent(share: float) -> str:
    """Return a share as shown in tables."""
    return f"{100 * share:.1f} %"


def shares_of_rest(rows: list[TopicRow]) -> tuple[str, str]:
    """Return the shares of words and of documents of the rest."""
    rest = [row for row in rows if row.state == "junk"]
    return per_cent(sum(row.share for row in rest)), per_cent(sum(row.documents for row in rest))


def print_topics(rows: list[TopicRow]) -> None:
    """Print the topics with their shares, trend, words and documents; the rest under a heading with its shares."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("topic", "share of\nwords", "share of\ndocuments", "trend"):
        table.add_column(name, justify="right")
    table.add_column("topics and documents")
    for row, heads_rest in zip(rows, first_of_rest(rows)):
        if heads_rest:
            table.add_row("", *shares_of_rest(rows), "", Text(f"The rest: {REST_MEANS}", style="bold"))
        cell = Text(one_line(row.name), style="not bold" if row.state == "junk" else "bold")
        cell.append(f" ({row.state})" * (row.state in ("mixed", "junk")), style="not bold")
        cell.append(f"\n{one_line(' '.join(row.words))}", style="not bold")
        cell.append(f"\nnearly the same: {one_line('; '.join(row.near))}" * bool(row.near), style="not bold")
        for example in row.examples:
            cell.append(f"\n  {one_line(example['text'])}", style="not bold dim")
        trend = f"{100 * row.trend:+.1f} points\n{row.rises_or_falls}".rstrip()
        table.add_row(str(row.topic), per_cent(row.share), per_cent(row.documents), trend, cell)
    Console().print(table)
