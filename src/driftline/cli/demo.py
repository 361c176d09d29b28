"""`driftline demo`: the whole analysis of a simulated newswire, with the truth beside the findings."""

from __future__ import annotations

from pathlib import Path

import click

from driftline.cli.conventions import json_option
from driftline.cli.options import FILE, setting


@click.command()
@setting("-o", "--output", type=FILE, default="driftline-demo.html", help="Where to write the report.")
@setting("--documents", type=click.IntRange(500, 200_000), default=6000, help="Number of stories to simulate.")
@setting("--seed", type=click.IntRange(0), default=0, help="Seed of the simulation; each gives a different year.")
@click.option("--keep", type=FILE, metavar="FILE", help="Keep the simulated stories in this file (JSON lines).")
@json_option
def demo(output: Path, documents: int, seed: int, keep: Path | None, as_json: bool) -> None:
    """Simulate a newswire with known truth, analyse it, and write the report.

    The stories are written to a file, including some broken records, and read back exactly as your own would be.
    """
    import tempfile

    from driftline.analysis.analyse import analyse
    from driftline.cli.findings_output import deliver
    from driftline.cli.output_path import check_output
    from driftline.datasets.newswire import simulate_newswire
    from driftline.readers.read import read

    check_output(output, None)
    wire = simulate_newswire(documents, random_state=seed)
    with tempfile.TemporaryDirectory() as folder:
        path = wire.write(keep if keep is not None else Path(folder) / "newswire.jsonl")
        findings = analyse(read(path), title="A simulated newswire", truth=wire)
    deliver(findings, output, as_json=as_json)
