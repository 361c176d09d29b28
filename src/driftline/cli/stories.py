"""`driftline stories`: the stories of a source, and when each began, split, merged and ended."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftline.cli.conventions import json_option, print_json, print_table, say
from driftline.cli.options import FILE, FOLDER, setting
from driftline.cli.source_options import SourceArguments, SourceCommand, source_options
from driftline.cli.text_options import TextArguments, text_options

if TYPE_CHECKING:
    from driftline.cli.story_state import Followed
    from driftline.nonparametric import Story

SHOWN_WORDS, SNIPPET = 6, 160


@click.command(cls=SourceCommand)
@source_options
@setting(
    "--memory",
    metavar="SPAN",
    default="30d",
    help="Time without documents after which a story ends, such as 30d or 12h.",
)
@setting("--top", "n_stories", type=click.IntRange(1, 10_000), default=20, help="Number of stories to list.")
@click.option("--html", type=FILE, metavar="FILE", help="Write a page with the storylines to this file.")
@click.option(
    "--state", "folder", type=FOLDER, metavar="FOLDER", help="Folder for the stories; a later run continues there."
)
@text_options
@json_option
def stories(
    source: SourceArguments,
    memory: str,
    n_stories: int,
    html: Path | None,
    folder: Path | None,
    text: TextArguments,
    as_json: bool,
) -> None:
    """List the stories of SOURCE, and when each began, split, merged and ended.

    A document continues the story of a recent document with similar words, or begins a new one. The largest stories are
    listed, with their events and the probabilities of the events. With --state, only documents that are later than
    those of earlier runs are used, and stories keep their numbers.
    """
    from driftline.cli.output_path import check_output
    from driftline.cli.story_state import follow

    if html is not None:
        check_output(html, source.source, "--html")
    followed = follow(source.read(), text.options, memory, folder)
    for note in followed.notes:
        say(note, err=True)
    largest = sorted(followed.model.stories_, key=lambda story: (-story.size, story.id))[:n_stories]
    if html is not None:
        _write_page(followed, largest, Path(source.source).name, html)
    if as_json:
        print_json({"stories": [_plain(story, followed) for story in largest], "events": _events(followed, largest)})
        return
    print_table(
        ["story", "start", "end", "documents", "state", "words"],
        [(s.id, *_days(s), s.size, s.state, " ".join(map(str, s.words[:SHOWN_WORDS]))) for s in largest],
    )
    events = [event for event in _events(followed, largest) if event["kind"] in ("split", "merged", "revived")]
    if events:
        say()
        rows = [(e["kind"], e["time"][:10], e["story"], e["other"], f"{e['probability']:.2f}") for e in events]
        print_table(["event", "when", "story", "other", "probability"], rows)


def _days(story: Story) -> tuple[str, str]:
    return str(story.start)[:10], str(story.end)[:10]


def _plain(story: Story, followed: Followed) -> dict[str, Any]:
    """Return a story as plain values, with the text of its first document if this run has read it."""
    from driftline.core.times import iso

    plain = {**story._asdict(), "start": iso(story.start), "end": iso(story.end)}
    return {**plain, "example": followed.text(story.example, SNIPPET)}


def _events(followed: Followed, largest: list[Story]) -> list[dict[str, Any]]:
    from driftline.core.times import iso

    shown = {story.id for story in largest}
    events = [event for event in followed.model.events_ if event.story in shown or event.other in shown]
    return [{**event._asdict(), "time": iso(event.time)} for event in events]


def _write_page(followed: Followed, largest: list[Story], name: str, path: Path) -> None:
    """Write the storylines and the table as one self-contained page."""
    from driftline.figures import plot_storylines
    from driftline.report.date_formats import span
    from driftline.report.numbers import count, share
    from driftline.report.table_page import Cell, TablePage, write_table_page

    model = followed.model
    shares = model.shares(min(len(largest), 20))
    widest = float(shares.share[:-1].max(initial=0.0))
    plain = [_plain(story, followed) for story in largest]
    examples = {story["id"]: story["example"] for story in plain if story["example"]}
    page = TablePage(
        title=f"Stories of {name}",
        kicker="Groups of documents that continue each other: when each began, split, merged and ended.",
        figure=plot_storylines(shares, model.stories_, model.events_, examples=examples),
        description=f"Each stream is a story; its width is its share of the documents, at most {share(widest, 1.0)}, "
        "and its paler edge is the 95 % band. Dots mark beginnings with a probability of at least "
        f"{model.min_probability}, rings and dotted lines returning stories, diamonds splits, squares mergers, and "
        "short bars ends. The last lane shows all other stories, on a separate scale.",
        caption="The largest stories",
        headings=["story", "words", "when", "documents", "state"],
        rows=[
            [
                Cell(str(story["id"]), number=True),
                Cell(" ".join(map(str, story["words"][:SHOWN_WORDS])), [story["example"]] if story["example"] else ()),
                Cell(span(story["start"], story["end"], short=True)),
                Cell(count(story["size"]), number=True),
                Cell(story["state"]),
            ]
            for story in plain
        ],
    )
    write_table_page(page, path)
