"""Output of the commands that analyse a stream."""

from __future__ import annotations

from pathlib import Path

import click

from driftline.analysis.all_findings import Findings
from driftline.analysis.serialise import to_json
from driftline.cli.conventions import say
from driftline.core.display import safe_json


def deliver(
    findings: Findings, output: Path, *, as_json: bool, data: Path | None = None, page_size: float | None = None
) -> None:
    """Print the findings as JSON, or write the report and print its headlines; `data` is a folder for data files."""
    if data is not None:
        from driftline.analysis.tables import write_data

        write_data(findings, data)
    if as_json:
        click.echo(safe_json(to_json(findings, indent=2)))
        return
    from driftline.report.sentences import headlines
    from driftline.report.write import write_report

    # The report is written first, because a reader of the headlines may close the pipe after the first one
    path = write_report(findings, output, **({} if page_size is None else {"page_size": page_size}))
    for sentence in headlines(findings):
        say(sentence)
    if data is not None:
        say(f"\nThe findings are in {data}: findings.json, words.parquet and curves.parquet.")
    say(f"\nThe report is in {path} ({path.stat().st_size / 2**20:.1f} MB); open it in a browser.")
