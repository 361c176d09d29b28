"""`driftline compare`: what differs between two sources, or between groups of one."""

from __future__ import annotations

from pathlib import Path

import click

from driftline.cli.conventions import json_option, print_json
from driftline.cli.differences import print_differences
from driftline.cli.options import FILE
from driftline.cli.source_options import SourceArguments, SourceCommand, source_options
from driftline.cli.text_options import TextArguments, text_options


@click.command(cls=SourceCommand)
@source_options
@click.argument("other", metavar="[OTHER]", required=False)
@click.option("--by", metavar="COLUMN", help="Compare the groups of this column of SOURCE.")
@click.option("--before", metavar="DATE", help="Compare documents before this date with the later ones.")
@click.option("--after", metavar="DATE", help="Compare documents since this date with the earlier ones.")
@click.option(
    "-k",
    "--topics",
    "n_topics",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="Number of topics; 0 for none.",
)
@click.option(
    "--words", "n_words", type=click.IntRange(1), default=12, show_default=True, help="Number of words per group."
)
@click.option("--unit", default="auto", show_default=True, help="Independent unit: day, author, thread, document.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the topics and the permutations."
)
@click.option("-o", "--output", type=FILE, metavar="FILE", help="Also write an HTML page.")
@text_options
@json_option
def compare(
    source: SourceArguments,
    other: str | None,
    by: str | None,
    before: str | None,
    after: str | None,
    n_topics: int,
    n_words: int,
    unit: str,
    seed: int,
    output: Path | None,
    text: TextArguments,
    as_json: bool,
) -> None:
    """Compare SOURCE with OTHER, or groups of SOURCE: topics and words that differ.

    Without OTHER, the groups are those of a column (--by), or the documents before and after a date; with both dates,
    the documents in between are left out. Three things are compared: the shares of the topics, given the topics; the
    shares of documents that contain a word; and the same within each topic. The false discovery rate of each is 5 %,
    with days as the independent units by default, so groups of very few days cannot be compared.
    """
    from driftline.analysis.compared_sources import compare_groups, groups_by_column, groups_by_date, groups_by_source
    from driftline.cli.output_path import check_output
    from driftline.core.errors import InvalidInput
    from driftline.report.compare_page import write_compare_page

    if output is not None:
        check_output(output, source.source)
    ways = [other is not None, by is not None, before is not None or after is not None]
    if sum(ways) != 1:
        raise InvalidInput("name one comparison: a second source, or --by COLUMN, or --before and --after dates")
    if other is not None:
        second = SourceArguments(other, source.options)
        grouped = groups_by_source(source.read(), second.read(), **text.options)
    elif by is not None:
        grouped = groups_by_column(source.labelled_by(by, "--by").read(), **text.options)
    else:
        grouped = groups_by_date(source.read(), before, after, **text.options)
    found = compare_groups(grouped, n_topics=n_topics, n_words=n_words, unit=unit, random_state=seed)
    if output is not None:
        write_compare_page(found, output, _title(source.source, other))
    if as_json:
        print_json(found)
        return
    print_differences(found)


def _title(source: str, other: str | None) -> str:
    return Path(source).name if other is None else f"{Path(source).name} and {Path(other).name}"
