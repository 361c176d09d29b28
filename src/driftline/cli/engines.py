"""`driftline engines`: where work can run on this machine."""

from __future__ import annotations

import click

from driftline.cli.conventions import json_option, print_facts, print_json


@click.command()
@json_option
def engines(as_json: bool) -> None:
    """List the engines of this machine, and which one `auto` would choose.

    Work is large if the number of distinct document–word pairs times the number of topics is at least 2,000,000,000.
    """
    from driftline.engines.machine import this_machine

    found = this_machine()
    if as_json:
        print_json(found)
        return
    print_facts(
        {
            "threads": f"{found.n_processors} processors, {found.memory / 1e9:.1f} GB of memory",
            "gpu": found.gpu + (f", {found.gpu_memory / 1e9:.1f} GB of memory" if found.gpu_memory else ""),
            "dask": found.dask,
            "auto, large work": f"{found.large.name}: {found.large.reason}",
            "auto, small work": f"{found.small.name}: {found.small.reason}",
        }
    )
