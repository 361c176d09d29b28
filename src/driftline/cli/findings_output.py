"""Output of the commands that analyse a stream."""

from __future__ import annotations

from pathlib import Path

import click

from driftline.analysis.all_findings import Findings
from driftline.analysis.serialise import to_json
from driftline.cli.conventions import say
from driftline.core.display import safe_json


def deliver(findings: Findings, output: Path, *, as_json: bool) -> None:
    """Print the findings as JSON, or write the report and print the headlines and its path."""
    if as_json:
        click.echo(safe_json(to_json(findings, indent=2)))
        return
    from driftline.report.sentences import headlines
    from driftline.report.write import write_report

    # The report is written first, because a pipe that reads the headlines may close after the first one
    path = write_report(findings, output)
    for sentence in headlines(findings):
        say(sentence)
    say(f"\nThe report is in {path} ({path.stat().st_size / 2**20:.1f} MB); open it in a browser.")
