"""`driftline bursts`: the words of a source that burst."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from driftline.cli.conventions import json_option, print_json, print_table, say
from driftline.cli.options import FILE, setting
from driftline.cli.source_options import SourceArguments, SourceCommand, source_options
from driftline.cli.text_options import TextArguments, text_options

if TYPE_CHECKING:
    from driftline.analysis.findings.bursts import WordBurst
    from driftline.streams.corpus import Corpus

N_POINTS = 160
"""Number of times at which the volume is evaluated."""


@click.command(cls=SourceCommand)
@source_options
@setting("--words", "n_words", type=click.IntRange(1, 10_000), default=25, help="Number of words to list.")
@setting("--every", metavar="STEP", default="auto", help="Length of a bin, such as 1d or 1h.")
@click.option("--html", type=FILE, metavar="FILE", help="Write a page with the timeline to this file.")
@text_options
@json_option
def bursts(
    source: SourceArguments, n_words: int, every: str, html: Path | None, text: TextArguments, as_json: bool
) -> None:
    """List the words of SOURCE that burst, when, and how strongly.

    A word bursts at level i while it is in 2ⁱ times its usual share of the documents. The intervals are the exact
    optimum of Kleinberg's automaton. The weight of a burst is its gain in log-likelihood.
    """
    from driftline.analysis.findings.bursts import describe_bursts
    from driftline.cli.output_path import check_output
    from driftline.streams.preparation import prepare

    if html is not None:
        check_output(html, source.source, "--html")
    corpus = prepare(source.read(), **text.options).corpus(min_df=2)
    found = describe_bursts(corpus, n_words=n_words, every=every)
    if html is not None:
        _write_page(found, corpus, Path(source.source).name, html)
    if as_json:
        print_json(found)
    elif not found:
        say("No burst was found.")
    else:
        print_table(
            ["word", "start", "end", "level", "documents", "weight"],
            [(b.word, b.start[:16], b.end[:16], b.level, b.n_documents, round(b.weight, 1)) for b in found],
        )
        word, when = shlex.quote(found[0].word), found[0].start[:7]
        say(f"\nThe documents behind a burst: driftline search {shlex.quote(source.source)} {word} --around {when}")


def _write_page(found: list[WordBurst], corpus: Corpus, name: str, path: Path) -> None:
    """Write the volume, the timeline and the table as one self-contained page."""
    from driftline.analysis.curve_times import grid
    from driftline.analysis.findings.volume import documents_per_day
    from driftline.figures import plot_bursts
    from driftline.report.date_formats import moment, span
    from driftline.report.numbers import count, rate
    from driftline.report.table_page import Cell, TablePage, write_table_page

    when = grid(corpus.times, N_POINTS)
    rows = [(burst.word, moment(burst.start), moment(burst.end), burst.level, burst.weight) for burst in found]
    page = TablePage(
        title=f"Bursts of {name}",
        kicker="Words that suddenly became frequent, when, and how strongly.",
        figure=plot_bursts(rows, volume=documents_per_day(corpus.times, when) if len(when) > 1 else None),
        description="A bar is an interval in which a word was in far more documents than usual: twice as many, and "
        "twice as many again with each darker colour. The curve above is the volume of documents.",
        caption="All bursts, highest weight first",
        headings=["word", "when", "level", "documents", "weight"],
        rows=[
            [
                Cell(burst.word),
                Cell(span(burst.start, burst.end, short=True)),
                Cell(str(burst.level), number=True),
                Cell(count(burst.n_documents), number=True),
                Cell(rate(burst.weight), number=True),
            ]
            for burst in found
        ],
    )
    write_table_page(page, path)
