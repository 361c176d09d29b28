"""`driftline flow`: draw how the topics of one long text develop."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from driftline.cli.conventions import json_option, print_json, say
from driftline.cli.options import FILE, setting
from driftline.cli.text_options import stop_words_option

if TYPE_CHECKING:
    from driftline.text.stopwords import StopWordChoice


@click.command()
@click.argument("book", type=FILE)
@setting("-o", "--output", type=FILE, default="flow.html", help="Where to write the page.")
@click.option("--title", help="Title of the page.  [default: the title or name of BOOK]")
@setting("--topics", type=click.IntRange(2, 32), default=8, help="Number of topics.")
@click.option(
    "--bandwidth",
    type=click.FloatRange(0, min_open=True),
    metavar="WORDS",
    help="Width of the window around each position, in words.  [default: a hundredth of the text]",
)
@stop_words_option
@setting("--seed", type=click.IntRange(0), default=0, help="Seed of the initial topics.")
@json_option
def flow(
    book: Path,
    output: Path,
    title: str | None,
    topics: int,
    bandwidth: float | None,
    stop_words: StopWordChoice,
    seed: int,
    as_json: bool,
) -> None:
    """Draw how the topics of BOOK develop from beginning to end, as one HTML file.

    BOOK is a plain text, Markdown or HTML file; its chapters are marked if it has any. With --json the flow goes to
    standard output instead, and no file is written.
    """
    from driftline.cli.output_path import check_output
    from driftline.coding.text_flow import text_flow
    from driftline.readers.book import read_book
    from driftline.text.languages import find_language
    from driftline.text.stopwords import stop_words_for

    check_output(output, str(book))
    read = read_book(book)
    found = text_flow(
        read.paragraphs,
        n_topics=topics,
        bandwidth=bandwidth,
        stop_words=stop_words_for(stop_words, find_language(read.paragraphs).codes),
        random_state=seed,
    )
    lengths = [len(paragraph.split()) for paragraph in read.paragraphs]
    chapters = [(sum(lengths[: chapter.paragraph]), chapter.title) for chapter in read.chapters]
    if as_json:
        print_json({"title": title or read.title, "chapters": chapters, "flow": found})
        return
    from driftline.report.flow_page import write_flow

    # The page is written first, because a reader of the turns may close the pipe after the first one
    path = write_flow(found, output, title=title or read.title or book.stem, chapters=chapters)
    for number, turn in enumerate(found.turns, start=1):
        say(f"{number:>3}  from word {found.words[turn.start]:>7,}: {', '.join(turn.words)}")
    say(f"\nThe flow is in {path} ({path.stat().st_size / 2**20:.1f} MB); open it in a browser.")
