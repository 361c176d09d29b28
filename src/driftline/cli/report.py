"""`driftline report`: from a source to one HTML file, or to JSON."""

from __future__ import annotations

from pathlib import Path

import click

from driftline.cli.conventions import json_option
from driftline.cli.headline_options import headline_options
from driftline.cli.source_options import SourceArguments, source_options
from driftline.cli.text_options import TextArguments, text_options


@click.command()
@source_options
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default="report.html",
    show_default=True,
    help="Where to write the report.",
)
@click.option("--title", help="Title of the report.  [default: the name of SOURCE]")
@click.option(
    "--every", metavar="STEP", help="Length of a period, such as 1mo or 7d.  [default: about a dozen periods]"
)
@click.option(
    "--bandwidth",
    metavar="DURATION",
    help="Time span over which a curve averages, such as 2w.  [default: selected from the data]",
)
@click.option(
    "--words",
    "n_words",
    type=click.IntRange(1, 500),
    default=60,
    show_default=True,
    help="Number of changed words to show.",
)
@click.option(
    "--fdr",
    "false_discovery_rate",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="False discovery rate of the lastingly changed words.",
)
@click.option(
    "--unit",
    metavar="UNIT",
    default="auto",
    show_default=True,
    help="Unit permuted in tests of change: day, hour, document, a duration such as 6h, or author, thread, label; "
    "auto permutes days, and whole authors or threads if the documents demand it.",
)
@click.option(
    "--keep-dates",
    multiple=True,
    type=click.Choice(["all", "strays", "imports", "future"]),
    help="Unusual dates to keep: outliers far from the others, times of bulk imports, the future. Repeatable.",
)
@click.option("--since", metavar="DATE", help="First date to include, such as 2003-02-19.")
@click.option("--until", metavar="DATE", help="Last date to include.")
@click.option(
    "--fewest",
    "fewest_documents",
    type=click.IntRange(0),
    default=200,
    show_default=True,
    help="Smallest number of documents for claims about change; with fewer, the report only describes them.",
)
@headline_options
@text_options
@json_option
def report(
    source: SourceArguments,
    output: Path,
    title: str | None,
    every: str | None,
    bandwidth: str | None,
    n_words: int,
    false_discovery_rate: float,
    unit: str,
    keep_dates: tuple[str, ...],
    since: str | None,
    until: str | None,
    fewest_documents: int,
    headlines: dict[str, float],
    text: TextArguments,
    as_json: bool,
) -> None:
    """Report what changed in SOURCE, when, and how certain that is, as one HTML file.

    The file works offline and can be sent by email. With --json the findings go to standard output instead, and no file
    is written.
    """
    from driftline.analysis.analyse import analyse
    from driftline.analysis.headlines.rules import HeadlineRules
    from driftline.cli.findings_output import deliver
    from driftline.cli.output_path import check_output

    check_output(output, source.source)
    findings = analyse(
        source.read(),
        title=title,
        **text.options,
        bandwidth=bandwidth if bandwidth is not None else "auto",
        every=every,
        n_words=n_words,
        unit=unit,
        keep_dates=keep_dates,
        since=since,
        until=until,
        fewest_documents=fewest_documents,
        rules=HeadlineRules(**headlines),  # type: ignore[arg-type]
        false_discovery_rate=false_discovery_rate,
    )
    deliver(findings, output, as_json=as_json)
