"""`driftline report`: from a source to one HTML file, or to JSON."""

from __future__ import annotations

from pathlib import Path

import click

from driftline.cli.conventions import json_option
from driftline.cli.headline_options import headline_options
from driftline.cli.options import EXISTING_FILE, FILE, FOLDER, setting
from driftline.cli.source_options import SourceArguments, SourceCommand, source_options
from driftline.cli.text_options import TextArguments, text_options


@click.command(cls=SourceCommand)
@source_options
@setting("-o", "--output", type=FILE, default="report.html", help="Where to write the report.")
@click.option("--title", help="Title of the report.  [default: the name of SOURCE]")
@click.option(
    "--every", metavar="STEP", help="Length of a period, such as 1mo or 7d.  [default: about a dozen periods]"
)
@click.option(
    "--bandwidth",
    metavar="DURATION",
    help="Time span over which a curve averages, such as 2w.  [default: selected from the data]",
)
@setting("--words", "n_words", type=click.IntRange(1, 500), default=60, help="Number of changed words to show.")
@setting(
    "--fdr",
    "false_discovery_rate",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    help="False discovery rate of the lastingly changed words.",
)
@setting(
    "--unit",
    metavar="UNIT",
    default="auto",
    help="Unit permuted in tests of change: day, hour, document, a duration such as 6h, or author, thread, label; "
    "auto permutes days, and also whole authors or threads if their documents are not independent.",
)
@click.option(
    "--keep-dates",
    multiple=True,
    type=click.Choice(["all", "strays", "imports", "future"]),
    help="Unusual dates to keep: outliers far from the others, times of bulk imports, the future; may be repeated.",
)
@click.option("--since", metavar="DATE", help="First date to include, such as 2003-02-19.")
@click.option("--until", metavar="DATE", help="Last date to include.")
@setting(
    "--fewest",
    "fewest_documents",
    type=click.IntRange(0),
    default=200,
    help="Smallest number of documents for claims about change; with fewer, the report only describes them.",
)
@click.option(
    "--numbers/--no-numbers",
    default=True,
    help="Whether to report numbers that changed, such as 2003 or 21st; they are never headlines.",
)
@click.option(
    "--page-size",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="MB",
    help="Maximum size of the page; within it, all counted words and documents can be looked up.",
)
@click.option(
    "--data",
    type=FOLDER,
    metavar="DIR",
    help="Also write the findings to this folder: findings.json, words.parquet and curves.parquet.",
)
@click.option(
    "--guide",
    "guide_file",
    type=EXISTING_FILE,
    metavar="FILE",
    help="TOML file with wishes about topics (see `driftline guide init`): these topics are reported by name.",
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
    numbers: bool,
    page_size: float,
    data: Path | None,
    guide_file: Path | None,
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
    from driftline.guidance import Guide

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
        numbers=numbers,
        rules=HeadlineRules(**headlines),  # type: ignore[arg-type]
        false_discovery_rate=false_discovery_rate,
        guide=None if guide_file is None else Guide.read(guide_file),
    )
    deliver(findings, output, as_json=as_json, data=data, page_size=page_size)
